/// Reason why a frame or audio was not recorded as captured. The raw values are the terms used in the loss
/// ledger.
///
/// `definition` describes each cause. The verdict, the report, and the tables in `docs` are derived from
/// these definitions.
public enum LossCause: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    case bus
    case driver
    case corrupt
    case lowLight = "low-light"
    case late
    case encoder
    case disk
    case governor
    case reconfigured
    case network
    case disconnected

    /// Whether the left cause precedes the right cause alphabetically. All loss ledgers list causes in this
    /// order.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension LossCause {
    /// The reason why the frame or audio is missing.
    package enum Origin: Sendable {
        /// The device didn't capture any data.
        case device
        /// The user or the governor prevented the capture. The event is reported as a change or as a governor
        /// step.
        case request
        /// The data was lost or damaged on its way from the device to the session.
        case transfer
        /// The computer received the data but couldn't use it.
        case computer
    }

    /// The part of the system to improve in order to avoid the loss.
    package enum ResponsiblePart: Sendable {
        case bus, processor, disk, device
    }

    /// The properties of a loss cause.
    private struct Definition {
        /// The precise meaning of the cause, as a sentence for the documentation.
        let meaning: String
        let origin: Origin
        let part: ResponsiblePart
        /// The kind of device that typically has losses with this cause. The documentation gives the remedy
        /// for this kind of device.
        var usualKind = SourceKind.external
        /// Returns the explanation of the cause for a particular track.
        let explain: (LossExplanation.Subject) -> LossExplanation
    }

    private var definition: Definition {
        switch self {
        case .bus:
            Definition(
                meaning:
                    "The frame or audio was lost between the device and the computer: the sequence numbers have a gap.",
                origin: .transfer, part: .bus
            ) { .bus($0.kind) }
        case .driver:
            Definition(
                meaning: "The driver flagged the frame as bad, or had no free buffer.",
                origin: .transfer, part: .processor
            ) { .driver($0.kind) }
        case .corrupt:
            Definition(
                meaning: "The frame or audio arrived damaged or can't be decoded.",
                origin: .transfer, part: .device
            ) { .corrupt($0.kind) }
        case .lowLight:
            Definition(
                meaning: "The camera lowered its frame rate to increase the exposure time.",
                origin: .device, part: .device
            ) { .lowLight($0.kind) }
        case .late:
            Definition(
                meaning: "The frame or audio arrived after the deadline for its tick.",
                origin: .computer, part: .processor
            ) { .late($0.kind) }
        case .encoder:
            Definition(
                meaning: "The encoder's queue was full, or the encoder failed.",
                origin: .computer, part: .processor
            ) { .encoder($0) }
        case .disk:
            Definition(
                meaning: "The disk was too slow and the memory buffer was full, or writing failed.",
                origin: .computer, part: .disk
            ) { _ in
                LossExplanation(
                    "the disk was too slow or full",
                    "record to another disk\(onCommandLine(" (`--output DIR`)"))")
            }
        case .governor:
            Definition(
                meaning: "The governor dropped the frame to reduce the load.",
                origin: .request, part: .processor
            ) { subject in
                LossExplanation(
                    subject.isProgram
                        ? "the computer was too slow"
                        : "frames were dropped to reduce the load on the computer",
                    LossExplanation.loadReductionAdvice(subject))
            }
        case .reconfigured:
            Definition(
                meaning: "The user disabled the device, changed its format, or replaced it.",
                origin: .request, part: .device
            ) { .reconfigured($0.kind) }
        case .network:
            Definition(
                meaning:
                    "The frame or audio was lost during network transmission, or the connection was interrupted.",
                origin: .transfer, part: .device, usualKind: .network
            ) { .network($0.kind) }
        case .disconnected:
            Definition(
                meaning:
                    "The device was unplugged or stopped delivering data, with or without an error. The corresponding gap has the more specific cause `unplugged` or `silent`.",
                origin: .device, part: .device
            ) { .disconnected($0.kind) }
        }
    }

    /// The precise meaning of the cause, as a sentence for the documentation.
    package var meaning: String { definition.meaning }
    /// The reason why the frame or audio is missing.
    package var origin: Origin { definition.origin }
    /// The part of the system to improve in order to avoid the loss.
    package var part: ResponsiblePart { definition.part }
    /// Explanation of the cause for a typical track with such losses.
    package var typicalExplanation: LossExplanation {
        explanation(of: LossExplanation.Subject(kind: definition.usualKind, preset: "superfast"))
    }

    /// Returns the explanation of the cause for a particular track.
    ///
    /// - Parameter subject: The track with the losses.
    /// - Returns: The reason for the loss and the remedy.
    package func explanation(of subject: LossExplanation.Subject) -> LossExplanation {
        definition.explain(subject)
    }
}

/// A human-readable explanation of one cause in the loss ledger: why data was lost, and how to avoid the loss
/// next time.
///
/// The texts depend on the kind of device: for example, advice to use another port doesn't apply to a file.
/// Each text is a clause without an initial capital or a final period: `the computer was too slow`, `set …`.
package struct LossExplanation: Equatable {
    package let cause: String
    package let remedy: String

    /// The context that, together with the cause, determines the wording of an explanation.
    package struct Subject {
        /// Kind of device; `nil` if the manifest doesn't specify the kind.
        let kind: SourceKind?
        /// Whether the lost frames belong to the program. The governor drops program frames if the computer
        /// is too slow, and may drop camera frames because of another shortage.
        let isProgram: Bool
        /// x264 preset of the track; `nil` for copied tracks and hardware encoders, or if the preset is
        /// unknown.
        let preset: String?

        /// Creates the context of an explanation.
        package init(kind: SourceKind? = nil, isProgram: Bool = false, preset: String? = nil) {
            self.kind = kind
            self.isProgram = isProgram
            self.preset = preset
        }
    }

    fileprivate init(_ cause: String, _ remedy: String) {
        self.cause = cause
        self.remedy = remedy
    }

    // MARK: Causes

    fileprivate static func bus(_ kind: SourceKind?) -> Self {
        let lost = "the connection to the device lost data"
        return switch kind {
        case .external, .microphone:
            Self(
                lost,
                "connect the device to another USB port, ideally on a separate controller\(onCommandLine(" (`multicam devices` lists them)"))"
            )
        case nil: Self(lost, "check the device's connection")
        case .builtIn: Self(lost, "unplug USB devices that you don't need while recording")
        case .virtual: Self(lost, removeSimulatedFaults)
        case .file: unreadable
        case .network, .phone: network(kind)
        case .screen: slowScreen
        case .application: slowApplication
        case .own: slowSource
        }
    }

    fileprivate static func driver(_ kind: SourceKind?) -> Self {
        switch kind {
        case .external, .builtIn, .microphone, nil:
            Self(
                "the device driver failed or ran out of buffers",
                "close other programs, and check the kernel log (`journalctl -k`)")
        case .virtual: Self("the device driver failed or ran out of buffers", removeSimulatedFaults)
        case .file: unreadable
        case .network, .phone: network(kind)
        case .screen: slowScreen
        case .application: slowApplication
        case .own: slowSource
        }
    }

    fileprivate static func corrupt(_ kind: SourceKind?) -> Self {
        let damaged = "the device sent damaged data"
        return switch kind {
        case .external, .microphone: Self(damaged, "use another cable or another USB port for the device")
        case nil: Self(damaged, "check the device's connection")
        case .builtIn: Self(damaged, "check the kernel log (`journalctl -k`)")
        case .virtual: Self(damaged, removeSimulatedFaults)
        case .file:
            Self(
                "the file contains data that can't be decoded",
                "check the file with `ffprobe`, or convert it with `ffmpeg`")
        case .network:
            Self(
                "data from the camera arrived damaged",
                "connect the camera by Ethernet, or lower its bit rate")
        case .phone: Self("data from the phone arrived damaged", moveCloser)
        case .screen: Self("the captured screen image was damaged", "share the screen again")
        case .application:
            Self("the sending application delivered damaged data", "check the sending application")
        case .own: Self("the application's own source delivered damaged data", checkSource)
        }
    }

    fileprivate static func lowLight(_ kind: SourceKind?) -> Self {
        switch kind {
        case .external, .builtIn, nil:
            Self(
                "the camera reduced its frame rate in low light",
                "use more light, or set the camera control `exposure_dynamic_framerate` to 0")
        case .network:
            Self(
                "the camera delivered fewer frames than its stated frame rate",
                "use more light, or set a fixed frame rate in the camera's own settings")
        case .phone:
            Self(
                "the phone delivered fewer frames than its stated frame rate",
                "use more light, keep the phone cool, and close other apps on it")
        case .virtual: Self("the camera reduced its frame rate in low light", removeSimulatedFaults)
        case .file:
            Self(
                "the file has fewer frames than its stated frame rate",
                "convert the file to a constant frame rate with `ffmpeg`")
        case .screen: slowScreen
        case .application, .microphone: slowApplication
        case .own: slowSource
        }
    }

    fileprivate static func late(_ kind: SourceKind?) -> Self {
        switch kind {
        case .network: Self("data arrived too late over the network", useWiredConnection)
        case .phone: Self("data arrived too late over the network", moveCloser)
        default:
            Self(
                "data arrived too late",
                "close other programs while recording\(onCommandLine(" (`multicam doctor` checks the computer)"))"
            )
        }
    }

    fileprivate static func encoder(_ subject: Subject) -> Self {
        // The screen capture process also encodes the frames.
        subject.kind == .screen ? slowScreen : Self("the computer was too slow", loadReductionAdvice(subject))
    }

    fileprivate static func reconfigured(_ kind: SourceKind?) -> Self {
        switch kind {
        case .file:
            Self(
                "the frame size or format changes within the file",
                "encode the track (`tracks: { cameras: encode }`), or convert the file with `ffmpeg`")
        case .network, .phone:
            Self(
                "the camera's size or format was changed, or the camera was switched off",
                "change camera settings only between recordings")
        case .own:
            Self(
                "the application's own source changed its format",
                "change the format of the source only between recordings")
        default:
            Self(
                "the device was reconfigured or switched off",
                "change device settings only between recordings")
        }
    }

    fileprivate static func network(_ kind: SourceKind?) -> Self {
        switch kind {
        case .phone: Self("the network connection to the phone lost data or failed", moveCloser)
        case .file: unreadable
        case .screen: slowScreen
        case .application: slowApplication
        case .own: slowSource
        case .virtual: Self("the network connection to the camera lost data or failed", removeSimulatedFaults)
        default: Self("the network connection to the camera lost data or failed", useWiredConnection)
        }
    }

    fileprivate static func disconnected(_ kind: SourceKind?) -> Self {
        switch kind {
        case .external, .microphone:
            Self("the device was disconnected or delivered no data", "check the device's cable and port")
        case nil: Self("the device was disconnected or delivered no data", "check the device's connection")
        case .builtIn:
            Self(
                "the camera delivered no data",
                "check the privacy switch of the camera, and restart the computer if the problem persists\(onCommandLine(" (`multicam doctor` checks the devices)"))"
            )
        case .virtual: Self("the device was disconnected or delivered no data", removeSimulatedFaults)
        case .file:
            Self(
                "the file ended before the recording",
                "record for less time\(onCommandLine(" (`--duration`)")), or use a longer file")
        case .network:
            Self(
                "the camera was unreachable or delivered no data",
                "check that the camera is switched on and reachable")
        case .phone:
            Self(
                "the phone was disconnected or delivered no data",
                "keep the page open on the phone, and keep the phone's screen on")
        case .screen:
            Self("the screen could not be captured", "keep the session unlocked, and allow screen sharing")
        case .application:
            Self("the sending application was closed or delivered no data", "check the sending application")
        case .own: Self("the application's own source delivered no data", checkSource)
        }
    }

    // MARK: Shared wording

    private static let useWiredConnection =
        "connect the camera by Ethernet, use a faster network, or lower the camera's bit rate"
    private static let moveCloser =
        "move the phone closer to the access point, or reduce the phone's frame size or frame rate"
    /// Remedy for losses of a synthetic device, which simulates the faults given in its selector.
    private static let removeSimulatedFaults = "remove the faults from the selector of the virtual device"
    private static let unreadable = Self(
        "the file could not be read", "check the file with `ffprobe`, and check the disk")
    private static let slowScreen = Self(
        "the screen could not be captured fast enough",
        "record the screen at a lower frame rate or a smaller size")
    private static let checkSource = "check the source"
    private static let slowSource = Self(
        "the application's own source delivered fewer frames or samples than declared", checkSource)
    private static let slowApplication = Self(
        "the sending application was too slow", "check the sending application")

    /// Returns advice to change the setting that makes encoding cheaper, if such a setting exists.
    fileprivate static func loadReductionAdvice(_ subject: Subject) -> String {
        let place = subject.isProgram ? "program" : "tracks"
        let smaller =
            subject.isProgram
            ? "`size` or a lower `rate` for the program" : "`size` or a lower `rate` for the camera"
        let costs = onCommandLine(" (`multicam plan` shows their cost)")
        guard let preset = subject.preset, preset != "ultrafast" else {
            return "set a smaller \(smaller)\(costs)"
        }
        return "set `\(place): { video: { preset: ultrafast } }`, or set a smaller \(smaller)\(costs)"
    }
}
