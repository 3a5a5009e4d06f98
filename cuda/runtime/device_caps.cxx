#include "cuda/runtime/device_limits.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace tessera {

void cap_limits(DeviceLimits &limits, const std::string &text)
{
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    int value = -1;
    if (equals != std::string::npos) {
      std::istringstream number(word.substr(equals + 1));
      if (!(number >> value) || !number.eof())
        value = -1;
    }
    int *const limit = name == "capability"         ? &limits.capability
                       : name == "multiprocessors"  ? &limits.multiprocessors
                       : name == "block_shared"     ? &limits.block_shared
                       : name == "processor_shared" ? &limits.processor_shared
                                                    : nullptr;
    if (name == "tensor_cores" && value == 0)
      limits.tensor_cores = false;
    else if (limit && value > 0)
      *limit = std::min(*limit, value);
    else
      throw std::invalid_argument("not a limit of a device: '" + word + "'");
  }
}

std::string in_words(const DeviceLimits &limits)
{
  std::ostringstream line;
  line << limits.name << " (compute capability " << limits.capability / 10 << '.' << limits.capability % 10 << "), "
       << limits.multiprocessors << " SMs, " << limits.block_shared << " bytes of shared memory for a thread block, "
       << (limits.tensor_cores ? "products by tensor cores" : "products by fused multiply-adds");
  return line.str();
}

std::string remark_on(const DeviceLimits &limits)
{
  return limits.tensor_cores ? ""
                             : "slower kernels, because the tensor cores of this device round otherwise than a core";
}

} // namespace tessera
