// <stdint.h>
#pragma once
#include "cstdint"
