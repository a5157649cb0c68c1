#include "CCommand.h"
