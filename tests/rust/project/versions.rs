//! One version for everything: the Cargo workspace, the lock file, the header, the Python package, the npm package, and what is
//! generated for Kotlin, Swift and Ruby.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> Option<String> {
    let path = root().join(path);
    path.exists().then(|| std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The version that all others must equal: `[workspace.package]` of the root manifest.
fn version() -> String {
    let manifest = read("Cargo.toml").expect("the root manifest");
    let package = manifest.split("[workspace.package]").nth(1).expect("[workspace.package]");
    quoted_after(package, "version = ").expect("a version")
}

fn quoted_after(text: &str, lead: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(lead))?;
    line[lead.len()..].split('"').nth(1).map(str::to_owned)
}

#[test]
fn every_member_has_the_version_of_the_workspace() {
    let manifest = read("Cargo.toml").expect("the root manifest");
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next()).expect("members");
    let members: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
    assert!(members.contains(&"core"), "{members:?}");
    for member in members {
        let manifest = read(&format!("{member}/Cargo.toml")).unwrap_or_else(|| panic!("{member} has no manifest"));
        assert!(manifest.contains("\nversion.workspace = true\n"), "{member} states its own version");
        assert!(manifest.contains("\nrust-version.workspace = true\n"), "{member} states its own compiler version");
    }
}

#[test]
fn the_dependency_on_the_core_names_the_same_version() {
    let manifest = read("Cargo.toml").expect("the root manifest");
    let line = manifest.lines().find(|line| line.starts_with("deltafold = {")).expect("the core as a dependency");
    assert!(line.contains(&format!("version = \"{}\"", version())), "{line}");
}

#[test]
fn the_lock_file_is_up_to_date() {
    let lock = read("Cargo.lock").expect("Cargo.lock");
    for package in lock.split("[[package]]").filter(|package| package.contains("\nname = \"deltafold")) {
        assert_eq!(quoted_after(package, "version = "), Some(version()), "{package}");
    }
}

#[test]
fn the_header_states_the_version_and_the_number_of_its_interface() {
    let header = read("include/deltafold.h").expect("the header");
    let number = |name: &str| {
        let line = header.lines().find_map(|line| line.strip_prefix(&format!("#define {name} ")));
        line.unwrap_or_else(|| panic!("{name} is not in the header")).to_owned()
    };
    let parts = ["MAJOR", "MINOR", "PATCH"].map(|part| number(&format!("DFOLD_VERSION_{part}")));
    assert_eq!(parts.join("."), version());
    let build = read("bindings/c/build.rs").expect("the build script");
    assert!(build.contains(&format!("libdeltafold.so.{}\"", number("DFOLD_ABI_VERSION"))));
}

#[test]
fn the_python_package_takes_its_version_from_its_crate() {
    let project = read("python/pyproject.toml").expect("pyproject.toml");
    assert!(project.contains("\ndynamic = [\"version\"]\n"), "pyproject.toml states its own version");
    assert!(project.contains("\nmanifest-path = \"../bindings/python/Cargo.toml\"\n"));
}

#[test]
fn the_two_wheels_of_python_need_each_other_in_the_same_version() {
    let version = version();
    let project = read("bindings/arrow/python/pyproject.toml").expect("pyproject.toml of deltafold-arrow");
    assert!(project.contains("\ndynamic = [\"version\"]\n") && project.contains("\nmanifest-path = \"Cargo.toml\"\n"));
    assert!(project.contains(&format!("\ndependencies = [\"deltafold=={version}\"]\n")), "deltafold-arrow");
    let project = read("python/pyproject.toml").expect("pyproject.toml");
    assert!(project.contains(&format!("\narrow = [\"deltafold-arrow=={version}\"]\n")), "deltafold");
}

#[test]
fn the_npm_package_and_its_lock_file_state_the_version() {
    for file in ["npm/package.json", "npm/package-lock.json"] {
        let json: serde_json::Value = serde_json::from_str(&read(file).expect(file)).expect(file);
        assert_eq!(json["version"], version(), "{file}");
    }
    let lock: serde_json::Value = serde_json::from_str(&read("npm/package-lock.json").expect("the lock file")).unwrap();
    assert_eq!(lock["packages"][""]["version"], version());
}

#[test]
fn the_glue_and_its_generator_are_of_one_version() {
    let wanted = read("Cargo.toml").expect("the root manifest");
    let wanted = quoted_after(&wanted, "wasm-bindgen = ").expect("wasm-bindgen");
    let tools = read("tests/tools/Cargo.toml").expect("the manifest of the tools");
    assert_eq!(quoted_after(&tools, "wasm-bindgen-cli-support = "), Some(wanted));
}

#[test]
fn the_packages_of_kotlin_and_ruby_state_the_version() {
    let version = version();
    let pom = read("bindings/uniffi/kotlin/pom.xml").expect("the POM");
    assert!(pom.contains(&format!("\n  <version>{version}</version>\n")), "pom.xml");
    let gradle = read("bindings/uniffi/kotlin/build.gradle.kts").expect("the Gradle build");
    assert_eq!(quoted_after(&gradle, "version = "), Some(version.clone()), "build.gradle.kts");
    let gem = read("bindings/uniffi/ruby/lib/deltafold/version.rb").expect("the gem's version");
    assert_eq!(quoted_after(&gem, "  VERSION = "), Some(version), "version.rb");
}

#[test]
fn uniffi_and_its_generator_are_of_one_version() {
    let wanted = read("Cargo.toml").expect("the root manifest");
    let wanted = quoted_after(&wanted, "uniffi = { version = ").expect("uniffi");
    assert!(wanted.starts_with('='), "{wanted}");
    let bindgen = read("bindings/uniffi/bindgen/Cargo.toml").expect("the manifest of the generator");
    assert_eq!(quoted_after(&bindgen, "uniffi_bindgen = { version = "), Some(wanted));
}

#[test]
fn the_kotlin_compiler_has_the_version_in_the_metadata() {
    let tools: serde_json::Value =
        serde_json::from_str(&read("tests/runners/kotlin/package.json").expect("package.json")).unwrap();
    let wanted = tools["devDependencies"]["kotlin-compiler"].as_str().expect("a version").to_owned();
    for (file, text) in [
        ("bindings/uniffi/kotlin/pom.xml", format!("<version>{wanted}</version>")),
        ("bindings/uniffi/kotlin/build.gradle.kts", format!("kotlin(\"jvm\") version \"{wanted}\"")),
        ("bindings/uniffi/uniffi.toml", format!("kotlin_target_version = \"{wanted}\"")),
    ] {
        assert!(read(file).expect(file).contains(&text), "{file} names another compiler than {wanted}");
    }
}

#[test]
fn the_core_package_has_its_licences_and_no_tests() {
    let list = std::process::Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline", "-p", "deltafold"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    assert!(list.status.success(), "{}", String::from_utf8_lossy(&list.stderr));
    let list = String::from_utf8(list.stdout).unwrap();
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/crate.md", "src/lib.rs"] {
        assert!(list.lines().any(|line| line == file), "{file} is not in the package");
    }
    assert!(list.lines().any(|line| line.starts_with("examples/")), "{list}");
    assert!(!list.lines().any(|line| line.starts_with("tests/") || line.starts_with("contract/")), "{list}");
}

/// The page of the crate has a row for each feature that a user can enable.
#[test]
fn the_crate_documentation_lists_every_feature() {
    let manifest = read("core/Cargo.toml").expect("the manifest of the core");
    let page = read("core/src/crate.md").expect("the page of the crate");
    let features = manifest.split_once("\n[features]\n").expect("a table of features").1;
    let features = features.split("\n[").next().unwrap_or_default();
    let names = features.lines().filter_map(|line| line.split_once(" = ").map(|(name, _)| name));
    let names: Vec<&str> = names.filter(|name| !name.starts_with(['_', '#', ' ']) && *name != "default").collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "core/src/crate.md does not describe the feature {name}");
    }
}
