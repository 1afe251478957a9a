// <limits.h>
#pragma once
#include "climits"
