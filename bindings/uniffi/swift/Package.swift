// swift-tools-version:5.9
import PackageDescription

// bindings/uniffi/build.sh creates `generated/` and `lib/`; link or copy them beside this file. They are not committed. On
// Apple platforms, replace the two last targets by a binary target with an XCFramework of the same static library.
let package = Package(
    name: "Deltafold",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8)],
    products: [.library(name: "Deltafold", targets: ["Deltafold"])],
    targets: [
        // The generated file and the wrapper are one module.
        .target(
            name: "Deltafold",
            dependencies: ["DeltafoldFFI"],
            path: ".",
            exclude: ["README.md", "test.sh", "toolchain.sh", "examples", "Tests", "lib", "generated/DeltafoldFFI.h", "generated/DeltafoldFFI.modulemap", "FFI"],
            sources: ["Sources/Deltafold", "generated/Deltafold.swift"],
            linkerSettings: [.unsafeFlags(["-Llib"]), .linkedLibrary("deltafold_uniffi")]
        ),
        // The header alone: FFI/module.modulemap is generated/DeltafoldFFI.modulemap under the name that the package manager wants.
        .systemLibrary(name: "DeltafoldFFI", path: "FFI"),
        // The tests are a program, so that they need no test library.
        .executableTarget(name: "DeltafoldTests", dependencies: ["Deltafold"], path: "Tests"),
    ]
)
