// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// Optimize C code in debug builds as well, because per-pixel work would otherwise make tests very slow.
let shim: [CSetting] = [.unsafeFlags(["-O3"])]

func libraries(_ names: String...) -> [LinkerSetting] { names.map { .linkedLibrary($0) } }

func module(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

// Targets for untrusted input: a test suite that replays the corpora and, only if tools/fuzz requests it, a libFuzzer
// program from the same sources.
let isFuzzing = Context.environment["MULTICAM_FUZZING"] != nil
let fuzzing: Target = {
    let parts: [Target.Dependency] = [
        "Capture", "Containers", "Control", "ControlRoom", "Doctor", "Encoding", "Group", "System",
        "Interchange", "Media",
        "MediaLink", "MediaServing", "Monitoring",
        "Plan", "Plots", "Profiles", "SessionFolder", "Setup", "Synchrony", "Timing", "VirtualDevices",
        "YAML",
    ]
    let inputs = ["Corpus", "Findings", "Words"]
    return isFuzzing
        ? .executableTarget(
            name: "fuzz", dependencies: parts + ["CFuzzer"], path: "Tests/Fuzzing",
            exclude: inputs + ["CFuzzer", "Replay"], swiftSettings: strict)
        : .testTarget(
            name: "FuzzingTests", dependencies: parts, path: "Tests/Fuzzing",
            exclude: inputs + ["CFuzzer", "Driver"], swiftSettings: strict)
}()

let package = Package(
    name: "multicam",
    products: [
        .library(name: "MulticamKit", targets: ["MulticamKit"]),
        .executable(name: "multicam", targets: ["multicam"]),
    ],
    targets: [
        // These targets are the command-line program and the library's public API.
        .executableTarget(
            name: "multicam",
            dependencies: [
                "Arguments", "Containers", "Control", "Doctor", "Encoding", "System", "Interchange",
                "Media",
                "MediaLink", "MediaServing", "Monitoring", "MulticamKit", "Plan", "Profiles",
                "Rendering",
                "Session",
                "SessionFolder", "Setup", "Stills", "StressTest", "Studio", "Synchrony", "Timing", "Writers",
            ],
            swiftSettings: strict),
        // This executable serves browsers. The recorder doesn't link its dependencies.
        .executableTarget(
            name: "multicam-web", dependencies: ["ControlRoom", "System"], swiftSettings: strict),
        // This executable opens a preview window.
        .executableTarget(
            name: "multicam-preview", dependencies: ["Preview", "System"], swiftSettings: strict),
        module(
            "Preview", "CSDL", "Control", "Encoding", "Inputs", "Media", "MediaLink", "SessionFolder",
            "Studio"),
        .target(
            name: "ControlRoom",
            dependencies: [
                "CConfinement", "CPage", "QRCodes", "CSoup", "CTLS", "Containers", "Control", "Encoding",
                "System",
                "Inputs", "Media",
                "MediaLink", "Profiles", "SessionFolder",
                "Studio",
            ],
            exclude: ["Page"], swiftSettings: strict),
        // This executable sends live outputs. It uses network libraries, which the recorder doesn't link.
        .executableTarget(
            name: "multicam-live", dependencies: ["System", "Publishing"], swiftSettings: strict),
        module(
            "Publishing", "CGStreamer", "CMedia", "CSRT", "CSoup", "Capture", "Control", "Encoding",
            "System", "Inputs", "Media", "MediaLink",
            "SessionFolder"),
        // This executable connects to network cameras and screens.
        .executableTarget(
            name: "multicam-sources", dependencies: ["System", "RemoteSources"], swiftSettings: strict),
        module(
            "RemoteSources", "CLinux", "CMedia", "CPipeWire", "CSRT", "CSoup", "CXCB", "Control", "Encoding",
            "System", "Media", "MediaLink", "SessionFolder"),
        // This executable coordinates a session on several machines. The recorder doesn't link its dependencies.
        .executableTarget(
            name: "multicam-group", dependencies: ["Group"], swiftSettings: strict),
        module(
            "Group", "CNATS", "QRCodes", "CTLS", "Control", "System", "Media",
            "SessionFolder"),
        module(
            "Studio", "CLinux", "Containers", "Control", "System", "Media", "Profiles", "SessionFolder"),
        module(
            "MulticamKit", "Control", "Encoding", "Inputs", "Media", "MediaServing",
            "Monitoring", "Plan", "Profiles", "Session", "SessionFolder", "Setup", "Stills", "Synchrony",
            "System", "Timing", "Writers"),
        // This module is the recorder's end of the media socket. Other processes link only the client end.
        module(
            "MediaServing", "Control", "System", "Inputs", "Media", "MediaLink", "Plan", "Session",
            "SessionFolder", "Setup"),
        module(
            "StressTest", "CLinux", "Capture", "Doctor", "System", "Media", "Monitoring", "Plan", "Plots",
            "Profiles", "Session", "SessionFolder", "Setup", "Timing", "VirtualDevices"),
        module("Doctor", "Capture", "Containers", "System", "Media", "Setup"),
        module(
            "Setup", "Capture", "Control", "Encoding", "System", "Inputs", "Interchange", "Media",
            "Monitoring", "Plan", "Profiles", "Session", "SessionFolder", "Synchrony", "VirtualDevices",
            "Stills"),
        module(
            "Control", "CLinux", "System", "Inputs", "Media", "Monitoring", "Plan", "Profiles",
            "SessionFolder", "Timing", "Stills"),
        module("MediaLink", "CLinux", "Control", "System", "Inputs", "Media", "SessionFolder"),
        module(
            "Rendering", "Containers", "Encoders", "Encoding", "System", "Interchange", "Media", "Plan",
            "Plots",
            "Profiles", "SessionFolder", "Timing"),
        module(
            "Interchange", "CXML", "Containers", "System", "Media", "Plan", "Profiles", "SessionFolder",
            "Timing"),
        module(
            "Synchrony", "CMedia", "Encoding", "System", "Media", "Plots", "SessionFolder", "Timing"),

        // These modules form a running recording. They don't import any of the modules above.
        module("Inputs", "Media", "Monitoring", "SessionFolder", "Timing", "Writers"),
        module(
            "Session", "Containers", "Encoders", "System", "Inputs", "Media", "Monitoring", "Plan",
            "Profiles", "SessionFolder", "Stills", "Timing", "Writers"),
        module(
            "Stills", "Containers", "System", "Inputs", "Media", "Monitoring", "Plan", "SessionFolder",
            "Timing"),
        module("Encoders", "Media", "Monitoring", "Plan", "SessionFolder", "Timing", "Writers"),
        module("Writers", "Containers", "System", "Media", "Monitoring", "SessionFolder"),
        module(
            "SessionFolder", "Containers", "System", "Media", "Monitoring", "Plan", "Plots", "Profiles",
            "Timing"),
        module("Monitoring", "Media", "Plan", "Profiles"),
        module("Plan", "Media", "Profiles", "Timing"),
        // This target embeds the shipped profiles (through a link to Profiles/), because dependent packages can't
        // access this folder.
        .target(
            name: "Profiles", dependencies: ["System", "Media", "YAML"],
            resources: [.embedInCode("Shipped")], swiftSettings: strict),
        module("Timing", "Media"),

        // These modules cover devices, pixels and samples, files, and the computer. They don't import any of the
        // modules above.
        module("VirtualDevices", "Encoding", "Media"),
        module("Capture", "CLinux", "System", "Media"),
        module("Encoding", "CMedia", "System", "Media"),
        module("Containers", "CFiles", "System", "Media"),
        module("System", "CDBus", "CFiles", "Media"),
        module("Plots", "Media"),
        module("QRCodes", "CQRCode"),
        module("Arguments", "Media"),
        module("YAML", "CYAML"),
        module("Media"),

        // These targets are system libraries, and declarations that Swift's importer skips.
        .target(
            name: "CMedia", dependencies: ["CPango"], cSettings: shim,
            linkerSettings: libraries(
                "avformat", "avcodec", "avutil", "swresample", "swscale", "ebur128", "turbojpeg", "jpeg",
                "yuv")),
        .systemLibrary(
            name: "CPango", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),
        // This target contains the files of the control room's page.
        .target(name: "CPage"),
        .systemLibrary(name: "CXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(name: "CTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        .systemLibrary(name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(
            name: "CConfinement", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "CSDL", pkgConfig: "sdl2", providers: [.apt(["libsdl2-dev"])]),
        .systemLibrary(
            name: "CGStreamer", pkgConfig: "gstreamer-app-1.0",
            providers: [.apt(["libgstreamer-plugins-base1.0-dev"])]),
        .systemLibrary(
            name: "CPipeWire", pkgConfig: "libpipewire-0.3", providers: [.apt(["libpipewire-0.3-dev"])]),
        .systemLibrary(name: "CSRT", pkgConfig: "srt", providers: [.apt(["libsrt-gnutls-dev"])]),
        .systemLibrary(name: "CSoup", pkgConfig: "libsoup-3.0", providers: [.apt(["libsoup-3.0-dev"])]),
        .systemLibrary(
            name: "CXCB", pkgConfig: "xcb-damage",
            providers: [.apt(["libxcb-composite0-dev", "libxcb-damage0-dev", "libxcb-shm0-dev"])]),
        .target(name: "CLinux", cSettings: shim, linkerSettings: libraries("pulse", "udev", "v4lconvert")),
        .target(name: "CFiles", cSettings: shim, linkerSettings: libraries("xxhash")),
        .target(name: "CYAML", cSettings: shim, linkerSettings: libraries("yaml")),

        // This executable records in simulated time for tools/ten-hours.
        .executableTarget(
            name: "simulate", dependencies: ["Media", "Session", "SessionFolder", "Setup"],
            path: "Tests/Simulate",
            swiftSettings: strict),

        // This target injects a fault into every call of every component of a recording, for tools/inject and its
        // suite.
        .target(name: "CInject", path: "Tests/CInject", cSettings: shim),
        .executableTarget(
            name: "inject",
            dependencies: ["CInject", "Encoding", "Media", "Session", "SessionFolder", "Setup", "Writers"],
            path: "Tests/Inject", swiftSettings: strict),

        // This executable measures the cost of clocks and resampling, for tools/clock-cost.
        .executableTarget(
            name: "clock-cost", dependencies: ["Encoding", "Media", "Timing"], path: "Tests/ClockCost",
            swiftSettings: strict),

        // This executable measures how long it takes to finalize a large file, for tools/finish-time.
        .executableTarget(
            name: "finish-time", dependencies: ["Containers", "Media"], path: "Tests/FinishTime",
            swiftSettings: strict),

        // This target creates simulated machines made of files, for tests that read sysfs and proc.
        .target(name: "SyntheticMachines", path: "Tests/SyntheticMachines", swiftSettings: strict),
        // This target contains disks that hang on demand in tests.
        .target(
            name: "TestDisks", dependencies: ["Containers", "Media", "SessionFolder", "Writers"],
            path: "Tests/TestDisks", swiftSettings: strict),
        // This target contains devices that deliver no events in tests.
        .target(
            name: "StandingDevices", dependencies: ["Media"], path: "Tests/StandingDevices",
            swiftSettings: strict),
        // This target compares manifests with their files in tests.
        .target(
            name: "LedgerCheck", dependencies: ["SessionFolder", "Timing"], path: "Tests/LedgerCheck",
            swiftSettings: strict),
        // This target generates reproducible random numbers.
        .target(name: "SeededNoise", path: "Tests/SeededNoise", swiftSettings: strict),
        tests("MediaTests", "Media"),
        tests("SystemTests", "CDBus", "Media", "System", "SyntheticMachines"),
        tests("YAMLTests", "YAML"),
        tests("ArgumentsTests", "Arguments"),
        tests("PlotsTests", "Media", "Plots"),
        tests("ContainersTests", "Containers", "System", "Media", "SeededNoise"),
        tests("EncodingTests", "Encoding", "Media", "SeededNoise"),
        tests("CaptureTests", "Capture", "Media", "SyntheticMachines"),
        tests("VirtualDevicesTests", "Encoding", "Media", "VirtualDevices"),
        tests("TimingTests", "Inputs", "Media", "SeededNoise", "SessionFolder", "Timing"),
        tests("ProfilesTests", "Media", "Profiles"),
        tests("PlanTests", "Media", "Monitoring", "Plan", "Profiles", "Session", "Timing"),
        tests("MonitoringTests", "Media", "Monitoring", "Plan", "Profiles", "Timing"),
        tests(
            "SessionFolderTests", "Containers", "System", "Media", "Monitoring", "Profiles",
            "SessionFolder", "Timing"),
        tests(
            "InterchangeTests", "Containers", "Interchange", "Media", "Plan", "Profiles", "SeededNoise",
            "SessionFolder",
            "Timing"),
        tests("WritersTests", "Containers", "System", "Media", "SessionFolder", "TestDisks", "Writers"),
        tests(
            "EncodersTests", "Containers", "Encoders", "Media", "Session", "TestDisks", "Timing", "Writers"),
        tests(
            "StressTestTests", "Media", "Monitoring", "Profiles", "Session", "SessionFolder", "StressTest",
            "Timing"),
        tests("InputsTests", "Inputs", "Media", "SessionFolder", "StandingDevices", "Timing"),
        tests(
            "SessionTests", "Containers", "Encoders", "Encoding", "Inputs", "Media", "Monitoring", "Plan",
            "Session",
            "SessionFolder", "StandingDevices", "TestDisks", "Timing", "Writers", "Stills"),
        tests("SynchronyTests", "Media", "SeededNoise", "Synchrony"),
        tests("InjectTests"),
        tests(
            "ControlRoomTests", "CConfinement", "Control", "ControlRoom", "System", "Inputs", "Media",
            "MediaLink", "MediaServing", "Profiles", "QRCodes", "SessionFolder", "Studio"),
        tests("PublishingTests", "Encoding", "Inputs", "Media", "Publishing"),
        tests(
            "RemoteSourcesTests", "CLinux", "CMedia", "CSoup", "CXCB", "Media", "RemoteSources"),
        tests("GroupTests", "CTLS", "Control", "System", "Group", "Media", "SessionFolder"),
        tests("PreviewTests", "Control", "Encoding", "Media", "Preview", "Studio"),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "Control", "Inputs", "LedgerCheck", "Media", "Monitoring", "Plan", "Profiles", "Session",
                "SessionFolder", "StressTest", "Timing", "multicam",
            ],
            exclude: ["mistakes.md"], swiftSettings: strict),
        tests(
            "MulticamTests", "Capture", "Containers", "Control", "ControlRoom", "Doctor", "Encoding",
            "System", "Inputs",
            "Interchange", "LedgerCheck", "Media", "MediaLink", "MediaServing", "Monitoring", "MulticamKit",
            "Plan",
            "Profiles",
            "Rendering", "SeededNoise", "Session", "SessionFolder", "Setup", "Stills", "StressTest",
            "Synchrony", "SyntheticMachines", "Timing", "VirtualDevices", "Writers"),
        fuzzing,
    ],
    swiftLanguageModes: [.v6]
)

if isFuzzing {
    package.products.append(.executable(name: "fuzz", targets: ["fuzz"]))
    package.targets.append(.target(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"))
}

// This target builds all helper processes as one program, which is used only in packages.
if Context.environment["MULTICAM_PACKAGING"] != nil {
    package.targets.append(
        .executableTarget(
            name: "multicam-helpers",
            dependencies: ["ControlRoom", "Group", "Preview", "System", "Publishing", "RemoteSources"],
            swiftSettings: strict))
    package.products.append(.executable(name: "multicam-helpers", targets: ["multicam-helpers"]))
}

// `MULTICAM_SUITES` is a comma-separated list of test suites to build, with only their dependencies. By default, all
// suites are built. Most of the build time is spent on suites, so `tools/test SessionTests` builds only that one.
if let suites = Context.environment["MULTICAM_SUITES"]?.split(separator: ",").map(String.init),
    !suites.isEmpty
{
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var open = suites
    while let name = open.popLast() {
        guard let target = targets[name], needed.insert(name).inserted else { continue }
        open += target.dependencies.compactMap {
            if case .byNameItem(let name, _) = $0 { name } else { nil }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { !needed.contains($0.name) }
}
