// <cooperative_groups/scan.h>: what stands in raw/groups.hpp.
#pragma once
