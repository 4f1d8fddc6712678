//! macOS links an extension module only with flags that permit symbols of the interpreter to be missing.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
