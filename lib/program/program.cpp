#include "program/program.hpp"

#include "program/cache_impl.hpp"
#include "program/job.hpp"

namespace kiln::program {
namespace {

Builder& builder_for(const Request& request) {
  return (request.cache != nullptr ? impl_of(*request.cache) : process_cache()).builder();
}

}  // namespace

Code build(const Request& request, const backend::Compiler& compiler) {
  return builder_for(request).build(make_job(request, compiler), compiler);
}

std::shared_ptr<backend::Module> load(const Request& request, backend::Backend& backend) {
  return builder_for(request).load(make_job(request, *backend.compiler()), backend);
}

}  // namespace kiln::program
