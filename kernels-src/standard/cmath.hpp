// <cmath>: names stand in math/ and core/constants.hpp; a kernel has those that its texts name.
#pragma once
