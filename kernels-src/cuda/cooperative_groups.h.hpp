// <cooperative_groups.h>: what stands in raw/groups.hpp.
#pragma once
