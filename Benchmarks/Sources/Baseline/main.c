// What people write in C with libmosquitto, as the measure for the rows of MQTT.
//
// usage: baseline receive PORT COUNT QOS | baseline publish PORT COUNT QOS
//
// Prints the microseconds of CPU from the first message to the last, and those on the clock.
#include <mosquitto.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static long wanted, seen;
static int qos;
static double cpu_start, clock_start;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_connected;

static double cpu_now(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static double clock_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void start(void) {
  cpu_start = cpu_now();
  clock_start = clock_now();
}

static void finish(void) {
  printf("%.0f %.0f\n", cpu_now() - cpu_start, clock_now() - clock_start);
  fflush(stdout);
  exit(0);
}

static void on_message(struct mosquitto *mosq, void *data, const struct mosquitto_message *message) {
  (void)mosq, (void)data, (void)message;
  if (seen == 0) start();
  if (++seen == wanted) finish();
}

static void on_connect(struct mosquitto *mosq, void *data, int code) {
  (void)mosq, (void)data;
  if (code != 0) exit(1);
  pthread_mutex_lock(&lock);
  is_connected = true;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

static void on_connect_subscribe(struct mosquitto *mosq, void *data, int code) {
  (void)data;
  if (code != 0) exit(1);
  mosquitto_subscribe(mosq, NULL, "bench/#", qos);
}

static void on_publish(struct mosquitto *mosq, void *data, int id) {
  (void)mosq, (void)data, (void)id;
  pthread_mutex_lock(&lock);
  seen++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

int main(int count, char **arguments) {
  if (count != 5) return 64;
  bool receives = strcmp(arguments[1], "receive") == 0;
  int port = atoi(arguments[2]);
  wanted = atol(arguments[3]);
  qos = atoi(arguments[4]);
  mosquitto_lib_init();
  struct mosquitto *mosq = mosquitto_new(NULL, true, NULL);
  mosquitto_int_option(mosq, MOSQ_OPT_PROTOCOL_VERSION, 5);
  if (receives) {
    mosquitto_connect_callback_set(mosq, on_connect_subscribe);
    mosquitto_message_callback_set(mosq, on_message);
    if (mosquitto_connect(mosq, "127.0.0.1", port, 60) != 0) return 1;
    return mosquitto_loop_forever(mosq, -1, 1);
  }
  char payload[100];
  memset(payload, 'x', sizeof payload);
  mosquitto_connect_callback_set(mosq, on_connect);
  mosquitto_publish_callback_set(mosq, on_publish);
  if (mosquitto_connect(mosq, "127.0.0.1", port, 60) != 0 || mosquitto_loop_start(mosq) != 0) return 1;
  pthread_mutex_lock(&lock);
  while (!is_connected) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  start();
  for (long index = 0; index < wanted; index++) {
    if (mosquitto_publish(mosq, NULL, "bench/topic", sizeof payload, payload, qos, false) != 0) return 1;
    // The library's queue is unbounded, and slower the longer it is.
    pthread_mutex_lock(&lock);
    while (qos > 0 && index - seen > 1000) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_lock(&lock);
  while (seen < wanted) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  finish();
}
