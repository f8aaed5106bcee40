/* SPDX-License-Identifier: MIT */
/*
 * See source_compiler.h. The program is the kernels, the caller's text, with lines counted from 1, and what makes rules of it.
 * NVRTC's functions are declared here: the library is built without its header, and runs without it.
 */
#include "compare/source_compiler.h"

#include "compare/source_files.h"

#include <cdpsort/by/launches.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace cdp {

namespace {

constexpr int NVRTC_OK = 0;
constexpr int NVRTC_NO_MEMORY = 1;
constexpr int NVRTC_DOES_NOT_COMPILE = 6;

using Program = void *;

struct Compiler {
  int (*create)(Program *program, const char *text, const char *name, int files, const char *const *texts,
                const char *const *names) = nullptr;
  int (*destroy)(Program *program) = nullptr;
  int (*compile)(Program program, int options, const char *const *option) = nullptr;
  int (*log_size)(Program program, size_t *size) = nullptr;
  int (*log)(Program program, char *text) = nullptr;
  int (*cubin_size)(Program program, size_t *size) = nullptr;
  int (*cubin)(Program program, char *code) = nullptr;
  int (*ptx_size)(Program program, size_t *size) = nullptr;
  int (*ptx)(Program program, char *code) = nullptr;
  int (*add_name)(Program program, const char *expression) = nullptr;
  int (*lowered_name)(Program program, const char *expression, const char **name) = nullptr;
  int (*architecture_count)(int *count) = nullptr;
  int (*architectures)(int *numbers) = nullptr;
  const char *(*error_text)(int error) = nullptr;
};

/* ---- The library ------------------------------------------------------------------------------------------------------- */

template <typename Function>
bool find_function(void *library, const char *name, Function *function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

bool find_functions(void *library, Compiler *all) {
  return find_function(library, "nvrtcCreateProgram", &all->create) &&
         find_function(library, "nvrtcDestroyProgram", &all->destroy) &&
         find_function(library, "nvrtcCompileProgram", &all->compile) &&
         find_function(library, "nvrtcGetProgramLogSize", &all->log_size) &&
         find_function(library, "nvrtcGetProgramLog", &all->log) &&
         find_function(library, "nvrtcGetCUBINSize", &all->cubin_size) &&
         find_function(library, "nvrtcGetCUBIN", &all->cubin) && find_function(library, "nvrtcGetPTXSize", &all->ptx_size) &&
         find_function(library, "nvrtcGetPTX", &all->ptx) && find_function(library, "nvrtcAddNameExpression", &all->add_name) &&
         find_function(library, "nvrtcGetLoweredName", &all->lowered_name) &&
         find_function(library, "nvrtcGetNumSupportedArchs", &all->architecture_count) &&
         find_function(library, "nvrtcGetSupportedArchs", &all->architectures) &&
         find_function(library, "nvrtcGetErrorString", &all->error_text);
}

/* The newest first; the last one is what a toolkit's development files have. Then where toolkits are usually installed. */
constexpr const char *LIBRARY_NAMES[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                         "/usr/local/cuda/lib64/libnvrtc.so"};

void *open_library(std::string *tried) {
  // A set-uid program must not load a library that its caller names.
  const char *wanted = secure_getenv("CDPSORT_NVRTC");
  if (wanted != nullptr && *wanted != '\0') {
    *tried = std::string(wanted) + " (CDPSORT_NVRTC)";
    return dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
  }
  *tried = "libnvrtc.so";
  for (const char *name : LIBRARY_NAMES)
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
  return nullptr;
}

/* Loads it once; as long as it is not there, it is looked for anew. It stays until the process ends. */
bool load_compiler(Compiler *compiler, CompiledSource *result) {
  static std::mutex loading;
  static Compiler known;
  static bool is_known = false;
  std::string tried;
  const std::lock_guard<std::mutex> lock(loading);
  if (!is_known) {
    void *library = open_library(&tried);
    is_known = library != nullptr && find_functions(library, &known);
    if (library != nullptr && !is_known)
      dlclose(library);
  }
  if (!is_known) {
    result->status = CDP_ERROR_UNSUPPORTED;
    result->message = "the comparison must be compiled, and " + tried +
                      " cannot be loaded: install NVRTC of CUDA 12 or newer, or name its library in the environment variable "
                      "CDPSORT_NVRTC";
  }
  *compiler = known;
  return is_known;
}

/* ---- A program --------------------------------------------------------------------------------------------------------- */

/* Destroyed whatever becomes of it. */
class OpenProgram {
public:
  explicit OpenProgram(const Compiler &of_compiler) : compiler(of_compiler) {}
  ~OpenProgram() {
    if (program != nullptr)
      compiler.destroy(&program);
  }
  OpenProgram(const OpenProgram &) = delete;
  OpenProgram &operator=(const OpenProgram &) = delete;

  const Compiler &compiler;
  Program program = nullptr;
};

std::string kernel_expression(uint32_t kernel) {
  return std::string("cdp::by::") + by::KERNEL_NAMES[kernel] + "_kernel<cdp::by::TheRules>";
}

std::string text_of(const ComparisonSource &source) {
  return "#include \"cdpsort/by/source_rules.cuh\"\n#line 1 \"comparison\"\n" + source.text +
         "\n#line 1 \"cdpsort\"\nnamespace cdp::by { using TheRules = SourceFunction<&::less>::Rules; }\n";
}

/* The greatest architecture that compiler and device both know; 0 if there is none. */
int choose_architecture(const Compiler &compiler, int wanted) {
  int count = 0;
  if (compiler.architecture_count(&count) != NVRTC_OK || count <= 0)
    return 0;
  std::vector<int> known(static_cast<size_t>(count));
  if (compiler.architectures(known.data()) != NVRTC_OK)
    return 0;
  int best = 0;
  for (const int one : known)
    best = one <= wanted ? std::max(best, one) : best;
  return best;
}

/* Text that a function gives by its size, with a 0 at the end or without. */
std::string text_by(const Compiler &, Program program, int (*size_of)(Program, size_t *), int (*read)(Program, char *)) {
  size_t size = 0;
  if (size_of(program, &size) != NVRTC_OK || size == 0)
    return "";
  std::string text(size, '\0');
  if (read(program, &text[0]) != NVRTC_OK)
    return "";
  return text;
}

/* The first line that tells of an error, for a message: "file(line): error: ...". */
std::string first_error(const std::string &log) {
  const size_t told = log.find(" error:"); // not in a name, as a warning may have one
  const size_t place = told != std::string::npos ? told : log.find("error");
  if (place == std::string::npos)
    return "it does not say why";
  const size_t begin = log.rfind('\n', place) == std::string::npos ? 0 : log.rfind('\n', place) + 1;
  return log.substr(begin, std::min<size_t>(log.find('\n', place), begin + 160) - begin);
}

void fail(const Compiler &compiler, int error, const char *doing, CompiledSource *result) {
  result->status = error == NVRTC_NO_MEMORY ? CDP_ERROR_MEMORY : CDP_ERROR_UNSUPPORTED;
  result->message = std::string(doing) + " failed: NVRTC says " + compiler.error_text(error);
  if (error == NVRTC_DOES_NOT_COMPILE) {
    result->status = CDP_ERROR_SOURCE;
    result->message = "the comparison does not compile: " + first_error(result->log) +
                      "; cdp_last_compiler_log() has all that the compiler says";
  }
}

int run_compiler(const OpenProgram &open, const ComparisonSource &source, int architecture, bool is_ptx) {
  const std::string item_bytes = "-DCDP_ITEM_BYTES=" + std::to_string(source.item_bytes);
  const std::string target = std::string("--gpu-architecture=") + (is_ptx ? "compute_" : "sm_") + std::to_string(architecture);
  const char *const options[] = {target.c_str(), item_bytes.c_str(), "--std=c++17", "--device-as-default-execution-space"};
  for (uint32_t kernel = 0; kernel < by::KERNELS; kernel++)
    if (const int error = open.compiler.add_name(open.program, kernel_expression(kernel).c_str()))
      return error;
  return open.compiler.compile(open.program, static_cast<int>(std::size(options)), options);
}

int read_names(const OpenProgram &open, CompiledSource *result) {
  for (uint32_t kernel = 0; kernel < by::KERNELS; kernel++) {
    const char *name = nullptr;
    if (const int error = open.compiler.lowered_name(open.program, kernel_expression(kernel).c_str(), &name))
      return error;
    result->kernel_names[kernel] = name;
  }
  return NVRTC_OK;
}

} // namespace

CompiledSource compile_source(const ComparisonSource &source) {
  CompiledSource result;
  Compiler compiler;
  if (!load_compiler(&compiler, &result))
    return result;
  const int architecture = choose_architecture(compiler, source.architecture);
  if (architecture == 0) {
    result.status = CDP_ERROR_UNSUPPORTED;
    result.message = "this NVRTC compiles for no device of compute capability " + std::to_string(source.architecture / 10) +
                     "." + std::to_string(source.architecture % 10) + " or older: install another version";
    return result;
  }
  int files = 0;
  while (SOURCE_FILE_NAMES[files] != nullptr)
    files++;
  OpenProgram open(compiler);
  const bool is_ptx = architecture != source.architecture;
  int error = compiler.create(&open.program, text_of(source).c_str(), "cdpsort", files, SOURCE_FILE_TEXTS, SOURCE_FILE_NAMES);
  if (error == NVRTC_OK)
    error = run_compiler(open, source, architecture, is_ptx);
  if (open.program != nullptr)
    result.log = text_by(compiler, open.program, compiler.log_size, compiler.log).c_str();
  if (error == NVRTC_OK)
    error = read_names(open, &result);
  if (error != NVRTC_OK) {
    fail(compiler, error, "compiling the comparison", &result);
    return result;
  }
  result.code = is_ptx ? text_by(compiler, open.program, compiler.ptx_size, compiler.ptx)
                       : text_by(compiler, open.program, compiler.cubin_size, compiler.cubin);
  if (result.code.empty())
    fail(compiler, NVRTC_NO_MEMORY, "reading the compiled comparison", &result);
  return result;
}

} // namespace cdp
