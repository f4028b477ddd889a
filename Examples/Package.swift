// swift-tools-version: 6.2
import PackageDescription

// Programs that use multicam as a library. They import MulticamKit and nothing else of it.
let kit: [Target.Dependency] = [.product(name: "MulticamKit", package: "multicam")]
let settings: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]

let package = Package(
    name: "multicam-examples",
    dependencies: [.package(name: "multicam", path: "..")],
    targets: [
        .executableTarget(name: "record-with-preview", dependencies: kit),
        .executableTarget(name: "picture-in-picture", dependencies: kit),
        .target(name: "OwnDevices", dependencies: kit, swiftSettings: settings),
        .executableTarget(name: "own-camera", dependencies: kit + ["OwnDevices"]),
        .executableTarget(name: "own-orientation", dependencies: kit + ["OwnDevices"]),
        .executableTarget(name: "source-and-sink", dependencies: kit + ["OwnDevices"]),
        // The examples of docs/avfoundation.md, so that they compile.
        .target(name: "AVFoundationTable", dependencies: kit + ["OwnDevices"]),
    ],
    swiftLanguageModes: [.v6]
)
