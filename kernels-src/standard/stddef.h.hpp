// <stddef.h>
#pragma once
#include "cstddef"
