// The version of kiln. It follows semantic versioning and is part of every cache key.
#pragma once

#define KILN_VERSION_MAJOR 0
#define KILN_VERSION_MINOR 2
#define KILN_VERSION_PATCH 0
#define KILN_VERSION "0.2.0"
