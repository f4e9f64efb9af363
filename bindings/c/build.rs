//! Gives the shared library its SONAME, which Cargo does not set. The number is `DFOLD_ABI_VERSION`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Only ELF linkers know the option; macOS sets the install name when the library is installed.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux" || os.ends_with("bsd") || os == "android") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libdeltafold.so.0");
    }
}
