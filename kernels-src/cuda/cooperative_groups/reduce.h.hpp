// <cooperative_groups/reduce.h>: what stands in raw/groups.hpp.
#pragma once
