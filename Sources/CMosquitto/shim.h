// libmosquitto and the few inline helpers that Swift cannot import.
#ifndef SIGNALBOX_CMOSQUITTO_SHIM_H
#define SIGNALBOX_CMOSQUITTO_SHIM_H

#include <errno.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>

#endif
