//! How the finished binary is linked: at a fixed place, so that nothing has to be moved when it starts. docs/decisions/0013.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    let is_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is_linux && is("PROFILE", "release") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
