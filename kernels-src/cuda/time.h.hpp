// <time.h>: clock() of GPUs, and its type.
#pragma once
