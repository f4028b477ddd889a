// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// SwiftPM requires that no other package of a client has a target of the same name, so the targets' names have a prefix,
// and their folders don't: Sources/Media is the module MulticamMedia, Sources/CMedia is CMulticamMedia.
func full(_ name: String) -> String {
    if name.lowercased().hasPrefix("multicam") || name.hasSuffix("Tests") { return name }
    let isC = name.first == "C" && name.dropFirst().first?.isUppercase == true
    return isC ? "CMulticam" + name.dropFirst() : "Multicam" + name
}

func full(_ names: [String]) -> [Target.Dependency] { names.map { .byName(name: full($0)) } }

func module(
    _ name: String, _ dependencies: String..., in folder: String = "Sources", exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .target(
        name: full(name), dependencies: full(dependencies), path: "\(folder)/\(name)", exclude: exclude,
        resources: resources, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: String..., path: String? = nil) -> Target {
    .executableTarget(
        name: full(name), dependencies: full(dependencies), path: path, swiftSettings: strict)
}

func library(_ name: String, pkgConfig: String, package: String...) -> Target {
    .systemLibrary(
        name: full(name), path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt(package)])
}

// Code in C is optimized in debug builds as well, because per-pixel work would otherwise make tests very slow.
func shim(
    _ name: String, _ dependencies: String..., in folder: String = "Sources", libraries: [String] = []
) -> Target {
    .target(
        name: full(name), dependencies: full(dependencies), path: "\(folder)/\(name)",
        cSettings: [.unsafeFlags(["-O3"])], cxxSettings: [.unsafeFlags(["-O3"])],
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

func tests(_ name: String, _ dependencies: String..., exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: full(dependencies), exclude: exclude, swiftSettings: strict)
}

// Targets for untrusted input: a test suite that replays the corpora and, only if tools/fuzz requests it, a libFuzzer
// program from the same sources.
let isFuzzing = Context.environment["MULTICAM_FUZZING"] != nil
let fuzzing: Target = {
    let parts = [
        "Capture", "Containers", "Control", "ControlRoom", "Doctor", "Encoding", "Group", "System",
        "Interchange", "Media",
        "MediaLink", "MediaServing", "Monitoring",
        "Plan", "Plots", "Profiles", "SessionFolder", "Setup", "Synchrony", "Timing", "VirtualDevices",
        "YAML",
    ]
    let inputs = ["Corpus", "Findings", "Words"]
    return isFuzzing
        ? .executableTarget(
            name: "fuzz", dependencies: full(parts + ["CFuzzer"]), path: "Tests/Fuzzing",
            exclude: inputs + ["CFuzzer", "Replay"], swiftSettings: strict)
        : .testTarget(
            name: "FuzzingTests", dependencies: full(parts), path: "Tests/Fuzzing",
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
        program(
            "multicam", "Arguments", "Containers", "Control", "Doctor", "Encoding", "System", "Interchange",
            "Media", "MediaLink", "MediaServing", "Monitoring", "MulticamKit", "Plan", "Profiles",
            "Rendering", "Session", "SessionFolder", "Setup", "Stills", "StressTest", "Studio", "Synchrony",
            "Timing", "Writers"),
        // This executable serves browsers. The recorder doesn't link its dependencies.
        program("multicam-web", "ControlRoom", "System"),
        // This executable opens a preview window.
        program("multicam-preview", "Preview", "System"),
        module(
            "Preview", "CSDL", "Control", "Encoding", "Inputs", "Media", "MediaLink", "SessionFolder",
            "Studio"),
        module(
            "ControlRoom", "CChecksum", "CConfinement", "CPage", "Confinement", "QRCodes", "CSoup", "CTLS",
            "Containers",
            "Control", "Encoding", "System", "Inputs", "Media", "MediaLink", "Profiles", "SessionFolder",
            "Studio", exclude: ["Page"]),
        // This executable sends live outputs. It uses network libraries, which the recorder doesn't link.
        program("multicam-live", "System", "Publishing"),
        module(
            "Publishing", "CGStreamer", "CMedia", "CSRT", "CSoup", "Capture", "Control", "Encoding", "System",
            "Inputs", "Media", "MediaLink", "SessionFolder"),
        // This executable connects to network cameras and screens.
        program("multicam-sources", "System", "RemoteSources"),
        module(
            "RemoteSources", "CLinux", "CMedia", "CPipeWire", "CSRT", "CSoup", "CXCB", "Control", "Encoding",
            "System", "Media", "MediaLink", "SessionFolder"),
        // This executable finds faces and codes in frames. The recorder doesn't link its dependencies.
        program("multicam-vision", "System", "Vision"),
        module(
            "Vision", "CVision", "Confinement", "Control", "Inputs", "Media", "MediaLink", "SessionFolder",
            "System"),
        // This executable coordinates a session on several machines. The recorder doesn't link its dependencies.
        program("multicam-group", "Group"),
        module("Group", "CNATS", "QRCodes", "CTLS", "Control", "System", "Media", "SessionFolder"),
        // This module restricts the helper processes that handle untrusted data.
        module("Confinement", "CConfinement", "Media", "System"),
        module("Studio", "CLinux", "Containers", "Control", "System", "Media", "Profiles", "SessionFolder"),
        module(
            "MulticamKit", "Control", "Encoding", "Inputs", "Media", "MediaServing", "Monitoring", "Plan",
            "Profiles", "Session", "SessionFolder", "Setup", "Stills", "Synchrony", "System", "Timing",
            "Writers"),
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
            "Stills", "Writers"),
        module(
            "Control", "CLinux", "System", "Inputs", "Media", "Monitoring", "Plan", "Profiles",
            "SessionFolder", "Timing", "Stills"),
        module("MediaLink", "CLinux", "Control", "System", "Inputs", "Media", "SessionFolder"),
        module(
            "Rendering", "Containers", "Encoders", "Encoding", "System", "Interchange", "Media", "Plan",
            "Plots", "Profiles", "SessionFolder", "Timing"),
        module(
            "Interchange", "CXML", "Containers", "System", "Media", "Plan", "Profiles", "SessionFolder",
            "Timing"),
        module("Synchrony", "CMedia", "Encoding", "System", "Media", "Plots", "SessionFolder", "Timing"),

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
        module("Profiles", "System", "Media", "YAML", resources: [.embedInCode("Shipped")]),
        module("Timing", "Media"),

        // These modules cover devices, pixels and samples, files, and the computer. They don't import any of the
        // modules above.
        module("VirtualDevices", "CMedia", "Encoding", "Media"),
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
        shim(
            "CMedia", "CPango",
            libraries: [
                "avformat", "avcodec", "avutil", "swresample", "swscale",
                "ebur128", "turbojpeg", "jpeg", "yuv",
            ]),
        library("CPango", pkgConfig: "pangocairo", package: "libpango1.0-dev"),
        // This target contains the files of the control room's page.
        .target(name: full("CPage"), path: "Sources/CPage"),
        library("CXML", pkgConfig: "libxml-2.0", package: "libxml2-dev"),
        library("CDBus", pkgConfig: "dbus-1", package: "libdbus-1-dev"),
        library("CTLS", pkgConfig: "gnutls", package: "libgnutls28-dev"),
        library("CNATS", pkgConfig: "libnats", package: "libnats-dev"),
        library("CQRCode", pkgConfig: "libqrencode", package: "libqrencode-dev"),
        library("CChecksum", pkgConfig: "libavutil", package: "libavutil-dev"),
        library("CConfinement", pkgConfig: "libseccomp", package: "libseccomp-dev"),
        library("CSDL", pkgConfig: "sdl2", package: "libsdl2-dev"),
        library("CGStreamer", pkgConfig: "gstreamer-app-1.0", package: "libgstreamer-plugins-base1.0-dev"),
        library("CPipeWire", pkgConfig: "libpipewire-0.3", package: "libpipewire-0.3-dev"),
        library("CSRT", pkgConfig: "srt", package: "libsrt-gnutls-dev"),
        library("CSoup", pkgConfig: "libsoup-3.0", package: "libsoup-3.0-dev"),
        library(
            "CXCB", pkgConfig: "xcb-damage", package: "libxcb-composite0-dev", "libxcb-damage0-dev",
            "libxcb-shm0-dev"),
        shim("CVision", libraries: ["dlib", "zbar"]),
        shim("CLinux", libraries: ["pulse", "udev", "v4lconvert"]),
        shim("CFiles", libraries: ["xxhash"]),
        shim("CYAML", libraries: ["yaml"]),

        // This executable records in simulated time for tools/ten-hours.
        program("multicam-simulate", "Media", "Session", "SessionFolder", "Setup", path: "Tests/Simulate"),

        // This target injects a fault into every call of every component of a recording, for tools/inject and its
        // suite.
        shim("CInject", in: "Tests"),
        program(
            "multicam-inject", "CInject", "Encoding", "Media", "Session", "SessionFolder", "Setup", "Writers",
            path: "Tests/Inject"),

        // This executable measures the cost of clocks and resampling, for tools/clock-cost.
        program("multicam-clock-cost", "Encoding", "Media", "Timing", path: "Tests/ClockCost"),

        // This executable measures how long it takes to finalize a large file, for tools/finish-time.
        program("multicam-finish-time", "Containers", "Media", path: "Tests/FinishTime"),

        // This target creates simulated machines made of files, for tests that read sysfs and proc.
        module("SyntheticMachines", in: "Tests"),
        // This target contains disks that hang on demand in tests.
        module("TestDisks", "Containers", "Media", "SessionFolder", "Writers", in: "Tests"),
        // This target contains devices that deliver no events in tests.
        module("StandingDevices", "Media", in: "Tests"),
        // This target compares manifests with their files in tests.
        module("LedgerCheck", "SessionFolder", "Timing", in: "Tests"),
        // This target generates reproducible random numbers.
        module("SeededNoise", in: "Tests"),
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
            "SessionFolderTests", "Containers", "System", "Media", "Monitoring", "Profiles", "SessionFolder",
            "Timing"),
        tests(
            "InterchangeTests", "Containers", "Interchange", "Media", "Plan", "Profiles", "SeededNoise",
            "SessionFolder", "Timing"),
        tests("WritersTests", "Containers", "System", "Media", "SessionFolder", "TestDisks", "Writers"),
        tests(
            "EncodersTests", "Containers", "Encoders", "Media", "Session", "TestDisks", "Timing", "Writers"),
        tests(
            "StressTestTests", "Media", "Monitoring", "Profiles", "Session", "SessionFolder", "StressTest",
            "Timing"),
        tests("InputsTests", "Inputs", "Media", "SessionFolder", "StandingDevices", "Timing"),
        tests(
            "SessionTests", "Containers", "Encoders", "Encoding", "Inputs", "Media", "Monitoring",
            "MulticamKit", "Plan", "Profiles", "Session", "SessionFolder", "Setup", "StandingDevices",
            "TestDisks", "Timing", "Writers", "Stills"),
        tests("SynchronyTests", "Media", "SeededNoise", "Synchrony"),
        tests("InjectTests"),
        tests(
            "ControlRoomTests", "CConfinement", "Confinement", "Control", "ControlRoom", "System", "Inputs",
            "Media",
            "MediaLink", "MediaServing", "Profiles", "QRCodes", "SessionFolder", "Studio"),
        tests("PublishingTests", "Encoding", "Inputs", "Media", "Publishing"),
        tests("RemoteSourcesTests", "CLinux", "CMedia", "CSoup", "CXCB", "Media", "RemoteSources"),
        tests("VisionTests", "CVision", "Media", "QRCodes", "SeededNoise", "Vision"),
        tests("GroupTests", "CTLS", "Control", "System", "Group", "Media", "SessionFolder"),
        tests("PreviewTests", "Control", "Encoding", "Media", "Preview", "Studio"),
        tests(
            "CommandTests", "Control", "Inputs", "LedgerCheck", "Media", "Monitoring", "Plan", "Profiles",
            "Session", "SessionFolder", "StressTest", "Timing", "multicam", exclude: ["mistakes.md"]),
        tests(
            "MulticamTests", "Capture", "Containers", "Control", "ControlRoom", "Doctor", "Encoders",
            "Encoding",
            "System", "Inputs", "Interchange", "LedgerCheck", "Media", "MediaLink", "MediaServing",
            "Monitoring", "MulticamKit", "Plan", "Profiles", "Rendering", "SeededNoise", "Session",
            "SessionFolder", "Setup", "Stills", "StressTest", "Synchrony", "SyntheticMachines", "Timing",
            "VirtualDevices", "Writers"),
        fuzzing,
    ],
    swiftLanguageModes: [.v6]
)

if isFuzzing {
    package.products.append(.executable(name: "fuzz", targets: ["fuzz"]))
    package.targets.append(.target(name: full("CFuzzer"), path: "Tests/Fuzzing/CFuzzer"))
}

// This target builds all helper processes as one program, which is used only in packages.
if Context.environment["MULTICAM_PACKAGING"] != nil {
    package.targets.append(
        program(
            "multicam-helpers", "ControlRoom", "Group", "Preview", "System", "Publishing", "RemoteSources",
            "Vision"))
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
