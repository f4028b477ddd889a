// swift-tools-version: 6.2
import PackageDescription

// Programs that use multicam as a library. They import MulticamKit and nothing else of it.
let kit: [Target.Dependency] = [.product(name: "MulticamKit", package: "multicam")]

let package = Package(
    name: "multicam-examples",
    dependencies: [.package(name: "multicam", path: "..")],
    targets: [
        .executableTarget(name: "record-with-preview", dependencies: kit),
        .executableTarget(name: "own-camera", dependencies: kit),
    ],
    swiftLanguageModes: [.v6]
)
