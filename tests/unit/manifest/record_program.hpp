// A program that uses every kind of variant, for the tests that record it. Runs on KILN_DEVICE.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kiln::test {

/// Makes the calls one after another. An error of one does not keep the others from being made; `failed` is told of it.
/// `headers` is a folder that has "factor.h".
void run_recorded_program(const std::string& headers, const std::function<void(const std::string&)>& failed);

}  // namespace kiln::test
