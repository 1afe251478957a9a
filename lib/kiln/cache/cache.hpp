// The cache's parts, for those who use it whole.
#pragma once

#include "cache/disk_store.hpp"
#include "cache/entry.hpp"
#include "cache/key.hpp"
