// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// C is compiled for speed in debug builds too: per-pixel work without optimisation would make tests crawl.
let shim: [CSetting] = [.unsafeFlags(["-O3"])]

func libraries(_ names: String...) -> [LinkerSetting] { names.map { .linkedLibrary($0) } }

func module(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

// Bytes from outside: a suite that tries the corpora again and, only where tools/fuzz asks for it, libFuzzer's program of the same
// sources.
let isFuzzing = Context.environment["MULTICAM_FUZZING"] != nil
let fuzzing: Target = {
    let parts: [Target.Dependency] = [
        "Capture", "Containers", "Control", "ControlRoom", "Doctor", "Encoding", "Group", "Host",
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
        // The command and the face of the library.
        .executableTarget(
            name: "multicam",
            dependencies: [
                "Arguments", "Containers", "Control", "Doctor", "Encoding", "FileSystem", "Interchange",
                "Media",
                "MediaLink", "MediaServing", "Monitoring", "MulticamKit", "Plan", "Processes", "Profiles",
                "Rendering",
                "Session",
                "SessionFolder", "Setup", "Stills", "StressTest", "Studio", "Synchrony", "Timing", "Writers",
            ],
            swiftSettings: strict),
        // The executable that talks to browsers; what it links is not linked into the recorder.
        .executableTarget(name: "multicam-web", dependencies: ["ControlRoom"], swiftSettings: strict),
        // The executable that opens a window.
        .executableTarget(name: "multicam-preview", dependencies: ["Preview"], swiftSettings: strict),
        module(
            "Preview", "CSDL", "Control", "Encoding", "Inputs", "Media", "MediaLink", "SessionFolder",
            "Studio"),
        .target(
            name: "ControlRoom",
            dependencies: [
                "CConfinement", "CPage", "QRCodes", "CSoup", "CTLS", "Containers", "Control", "Encoding",
                "FileSystem",
                "Inputs", "Media",
                "MediaLink", "SessionFolder",
                "Studio",
            ],
            exclude: ["Page"], swiftSettings: strict),
        // The executable that publishes; its libraries talk to networks, so the recorder does not link them.
        .executableTarget(name: "multicam-live", dependencies: ["Publishing"], swiftSettings: strict),
        module(
            "Publishing", "CGStreamer", "CMedia", "CSRT", "CSoup", "Capture", "Control", "Encoding",
            "FileSystem", "Inputs", "Media", "MediaLink", "Processes",
            "SessionFolder"),
        // The executable that connects to network cameras and screens.
        .executableTarget(name: "multicam-sources", dependencies: ["RemoteSources"], swiftSettings: strict),
        module(
            "RemoteSources", "CLinux", "CMedia", "CPipeWire", "CSoup", "CXCB", "Control", "Encoding",
            "FileSystem", "Media", "MediaLink", "Processes", "SessionFolder"),
        // The executable that makes one session of several machines; what it links is not linked into the recorder.
        .executableTarget(name: "multicam-group", dependencies: ["Group"], swiftSettings: strict),
        module(
            "Group", "CNATS", "QRCodes", "CTLS", "Control", "FileSystem", "Media", "Processes",
            "SessionFolder"),
        module(
            "Studio", "CLinux", "Containers", "Control", "FileSystem", "Media", "Processes", "SessionFolder"),
        module(
            "MulticamKit", "Control", "Doctor", "MediaServing", "Encoding", "Inputs", "Interchange", "Media",
            "MediaLink",
            "Monitoring",
            "Plan", "Processes",
            "Profiles", "Session", "SessionFolder", "Setup", "StressTest", "Synchrony", "Timing", "Stills"),
        // The recorder's end of the media socket; processes beside it link the other end alone.
        module(
            "MediaServing", "Control", "FileSystem", "Inputs", "Media", "MediaLink", "Plan", "Session",
            "SessionFolder", "Setup"),
        module(
            "StressTest", "CLinux", "Capture", "Doctor", "Host", "Media", "Monitoring", "Plan", "Plots",
            "Profiles", "Session", "SessionFolder", "Setup", "Timing", "VirtualDevices"),
        module("Doctor", "Capture", "Containers", "Host", "Media", "Setup"),
        module(
            "Setup", "Capture", "Control", "Encoding", "FileSystem", "Host", "Inputs", "Interchange", "Media",
            "Monitoring", "Plan", "Profiles", "Session", "SessionFolder", "Synchrony", "VirtualDevices",
            "Stills"),
        module(
            "Control", "CLinux", "FileSystem", "Inputs", "Media", "Monitoring", "Plan", "Profiles",
            "SessionFolder", "Timing", "Stills"),
        module("MediaLink", "CLinux", "Control", "FileSystem", "Inputs", "Media", "SessionFolder"),
        module(
            "Rendering", "Containers", "Encoders", "Encoding", "FileSystem", "Interchange", "Media", "Plan",
            "Plots",
            "Profiles", "SessionFolder", "Timing"),
        module(
            "Interchange", "CXML", "Containers", "FileSystem", "Media", "Plan", "Profiles", "SessionFolder",
            "Timing"),
        module("Synchrony", "CMedia", "Encoding", "Media", "Plots", "SessionFolder", "Timing"),

        // One recording while it runs, and what it is made of. Imports point down.
        module("Inputs", "Media", "Monitoring", "SessionFolder", "Timing", "Writers"),
        module(
            "Session", "Containers", "Encoders", "Inputs", "Media", "Monitoring", "Plan", "Profiles",
            "SessionFolder", "Stills", "Timing", "Writers"),
        module("Stills", "Containers", "Inputs", "Media", "Monitoring", "Plan", "SessionFolder", "Timing"),
        module("Encoders", "Media", "Monitoring", "Plan", "SessionFolder", "Timing", "Writers"),
        module("Writers", "Containers", "Media", "Monitoring", "SessionFolder"),
        module(
            "SessionFolder", "Containers", "FileSystem", "Media", "Monitoring", "Plan", "Plots", "Profiles",
            "Timing"),
        module("Monitoring", "Media", "Plan", "Profiles"),
        module("Plan", "Media", "Profiles", "Timing"),
        // With the shipped profiles in its code (a link to Profiles/): a program of another package has no folder of ours.
        .target(
            name: "Profiles", dependencies: ["FileSystem", "Media", "YAML"],
            resources: [.embedInCode("Shipped")], swiftSettings: strict),
        module("Timing", "Media"),

        // Devices, pixels and samples, files and the machine, none of which knows another.
        module("VirtualDevices", "Encoding", "Media"),
        module("Capture", "CLinux", "FileSystem", "Media"),
        module("Encoding", "CMedia", "Media"),
        module("Containers", "CFiles", "FileSystem", "Media"),
        module("Processes", "CLinux", "FileSystem", "Media"),
        module("FileSystem", "CFiles", "Media"),
        module("Host", "FileSystem", "Media"),
        module("Plots", "Media"),
        module("QRCodes", "CQRCode"),
        module("Arguments", "Media"),
        module("YAML", "CYAML"),
        module("Media"),

        // System libraries, and what Swift's importer skips of them.
        .target(
            name: "CMedia", dependencies: ["CPango"], cSettings: shim,
            linkerSettings: libraries(
                "avformat", "avcodec", "avutil", "swresample", "swscale", "ebur128", "turbojpeg", "jpeg",
                "yuv")),
        .systemLibrary(
            name: "CPango", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),
        // The files of the control room's page.
        .target(name: "CPage"),
        .systemLibrary(name: "CXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
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

        // Records in simulated time for tools/ten-hours.
        .executableTarget(
            name: "simulate", dependencies: ["Media", "Session", "SessionFolder", "Setup"],
            path: "Tests/Simulate",
            swiftSettings: strict),

        // Lets every part of a recording fail at every call, for tools/inject and its suite.
        .target(name: "CInject", path: "Tests/CInject", cSettings: shim),
        .executableTarget(
            name: "inject",
            dependencies: ["CInject", "Encoding", "Media", "Session", "SessionFolder", "Setup", "Writers"],
            path: "Tests/Inject", swiftSettings: strict),

        // Prints what clocks and resampling cost, for tools/clock-cost.
        .executableTarget(
            name: "clock-cost", dependencies: ["Encoding", "Media", "Timing"], path: "Tests/ClockCost",
            swiftSettings: strict),

        // Says how long a large film takes to finish, for tools/finish-time.
        .executableTarget(
            name: "finish-time", dependencies: ["Containers", "Media"], path: "Tests/FinishTime",
            swiftSettings: strict),

        // Machines that are only files, for tests of what sysfs and proc say.
        .target(name: "SyntheticMachines", path: "Tests/SyntheticMachines", swiftSettings: strict),
        // Disks that hang when a test wants them to.
        .target(
            name: "TestDisks", dependencies: ["Containers", "Media", "SessionFolder", "Writers"],
            path: "Tests/TestDisks", swiftSettings: strict),
        // Random numbers that are the same each time.
        .target(name: "SeededNoise", path: "Tests/SeededNoise", swiftSettings: strict),
        tests("MediaTests", "Media"),
        tests("YAMLTests", "YAML"),
        tests("ArgumentsTests", "Arguments"),
        tests("PlotsTests", "Media", "Plots"),
        tests("HostTests", "Host", "Media", "SyntheticMachines"),
        tests("ContainersTests", "Containers", "Media", "SeededNoise"),
        tests("EncodingTests", "Encoding", "Media", "SeededNoise"),
        tests("CaptureTests", "Capture", "Media", "SyntheticMachines"),
        tests("VirtualDevicesTests", "Encoding", "Media", "VirtualDevices"),
        tests("TimingTests", "Inputs", "Media", "SeededNoise", "SessionFolder", "Timing"),
        tests("ProfilesTests", "Media", "Profiles"),
        tests("PlanTests", "Media", "Monitoring", "Plan", "Profiles", "Session", "Timing"),
        tests("MonitoringTests", "Media", "Monitoring", "Plan", "Profiles", "Timing"),
        tests("SessionFolderTests", "Containers", "Media", "Profiles", "SessionFolder", "Timing"),
        tests(
            "InterchangeTests", "Containers", "Interchange", "Media", "Plan", "Profiles", "SeededNoise",
            "SessionFolder",
            "Timing"),
        tests("WritersTests", "Containers", "Media", "SessionFolder", "TestDisks", "Writers"),
        tests(
            "EncodersTests", "Containers", "Encoders", "Media", "Session", "TestDisks", "Timing", "Writers"),
        tests(
            "StressTestTests", "Media", "Monitoring", "Profiles", "Session", "SessionFolder", "StressTest",
            "Timing"),
        tests("InputsTests", "Inputs", "Media", "SessionFolder", "Timing"),
        tests(
            "SessionTests", "Containers", "Encoders", "Inputs", "Media", "Monitoring", "Session",
            "SessionFolder", "TestDisks", "Writers", "Stills"),
        tests("SynchronyTests", "Media", "SeededNoise", "Synchrony"),
        tests("InjectTests"),
        tests(
            "ControlRoomTests", "CConfinement", "Control", "ControlRoom", "FileSystem", "Inputs", "Media",
            "MediaLink", "MediaServing", "QRCodes", "SessionFolder", "Studio"),
        tests("PublishingTests", "Encoding", "Inputs", "Media", "Publishing"),
        tests(
            "RemoteSourcesTests", "CLinux", "CSoup", "CXCB", "Media", "RemoteSources"),
        tests("GroupTests", "CTLS", "Control", "FileSystem", "Group", "Media"),
        tests("PreviewTests", "Control", "Encoding", "Media", "Preview", "Studio"),
        tests(
            "CommandTests", "Inputs", "Media", "Monitoring", "Plan", "Session", "SessionFolder", "Timing",
            "multicam"),
        tests(
            "MulticamTests", "Capture", "Containers", "Control", "ControlRoom", "Doctor", "Encoding",
            "Inputs",
            "Interchange", "Media", "MediaLink", "MediaServing", "Monitoring", "MulticamKit", "Plan",
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

// All processes beside the recorder as one program, which only packages have.
if Context.environment["MULTICAM_PACKAGING"] != nil {
    package.targets.append(
        .executableTarget(
            name: "multicam-helpers",
            dependencies: ["ControlRoom", "Group", "Preview", "Processes", "Publishing", "RemoteSources"],
            swiftSettings: strict))
    package.products.append(.executable(name: "multicam-helpers", targets: ["multicam-helpers"]))
}

// The suites to build, separated by commas, and nothing that they do not need; everything where nothing is said. Most of a build's
// time goes into suites, so `tools/test SessionTests` builds that one alone.
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
