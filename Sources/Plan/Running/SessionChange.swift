public import MulticamMedia
public import MulticamProfiles

/// A change that the user can make to a session while it is recording, without a gap in any other track.
///
/// Changes refer to devices by the roles that the profile defines. Changes that are committed together take
/// effect at the same tick.
public enum SessionChange: Sendable, Equatable {
    /// Swap the main camera with another camera; `nil` selects the first inset. If the other camera isn't
    /// shown, it replaces the main camera, which is then no longer shown.
    case swap(with: String?)
    /// Show only these cameras in the program. The first camera in the list becomes the main camera.
    case show([String])
    /// Set the program's layout.
    case layout(ProgramLayout)
    /// Set the corner from which insets are stacked.
    case corner(InsetStyle.Corner)
    /// Set the width of an inset as a fraction of the program's width, 0.05…1.
    case scale(Double)
    /// Make a camera the first inset. If the camera was already shown, it swaps positions with the previous
    /// first inset; otherwise, it replaces that inset.
    case inset(String)
    /// Change several properties of the arrangement at once.
    case arrange(ArrangementChange)
    /// Show a scene that is in the profile or was saved by the user.
    case scene(String)
    /// Restore the program to its state before the last change, regardless of which client made the change. A
    /// second undo reverses the first.
    case undo
    /// Show or hide a camera in the program. The camera's track continues.
    case visible(role: String, Bool)
    /// Set the clockwise rotation of a camera in the program. The camera's track keeps its own rotation.
    case rotation(role: String, Rotation)
    /// Mirror a camera left to right in the program, or stop mirroring it. The camera's track isn't mirrored.
    case mirrored(role: String, Bool)
    /// Set the magnification of a camera in the program, 1…8, by cropping. The camera's track isn't affected.
    case zoom(role: String, Double)
    /// Set the horizontal position of a camera's zoomed part in its frame: -1 (left) … 1 (right), 0 in the middle.
    case pan(role: String, Double)
    /// Set the vertical position of a camera's zoomed part in its frame: -1 (down) … 1 (up), 0 in the middle.
    case tilt(role: String, Double)
    /// Frame a camera automatically in the program, or stop framing it. `zoom`, `pan`, and `tilt` also stop automatic
    /// framing. The camera's track isn't affected.
    case framing(role: String, FramingMode)
    /// Search a camera's frames for faces or codes. The faces that automatic framing needs are always found.
    case detection(role: String, [DetectionKind])
    /// Set the gain of a microphone in the program's mix, in decibels, -60…30. The level of the microphone's track
    /// isn't affected.
    case gain(role: String, decibels: Double)
    /// Sets the filters for a microphone in the program, or for the mix if the role is `program`.
    case processing(role: String, SoundProcessing)
    /// Mute or unmute a microphone in the program. The microphone's track continues.
    case audible(role: String, Bool)
    /// Switch a camera or microphone on or off. While the device is off, its track and the program contain a
    /// slate instead of the camera's frames, or silence instead of the microphone's audio.
    case enabled(role: String, Bool)
    /// Set the frame size and, optionally, the frame rate that a camera delivers. The frame rate of the
    /// camera's track doesn't change. A copied track continues in a new file, and the frames of an encoded
    /// track are scaled. The last frame is repeated until the camera delivers frames in the new format.
    case format(role: String, FrameSize, FrameRate?)
    /// Start another track of a camera or microphone.
    case startTrack(role: String)
    /// Stop the track of a camera or microphone. The track's file is finalized, and the device keeps running.
    case stopTrack(role: String)
    /// Remove a camera or microphone from the session. The device's track ends, the program no longer uses
    /// the device, and the device is stopped.
    case removed(role: String)

    /// Whether the change starts a new file.
    package var startsTrack: Bool {
        if case .startTrack = self { return true }
        return false
    }

    /// Whether the change affects devices or files, and therefore requires a running recording.
    package var needsRecording: Bool {
        Self.vocabulary.contains { $0.name == words.first && $0.needsRecording }
    }
}

/// Text representation of changes: `swap`, `layout grid`, `gain host -6`. The initializer `init(words:)`
/// parses the output of `words`.
extension SessionChange: CustomStringConvertible {
    /// The change as a list of words that `init(words:)` parses.
    package var words: [String] {
        switch self {
        case .swap(let role): ["swap"] + [role].compactMap { $0 }
        case .show(let roles): ["show"] + roles
        case .layout(let layout): ["layout", layout.rawValue]
        case .corner(let corner): ["corner", corner.rawValue]
        case .scale(let scale): ["scale", "\(scale)"]
        case .inset(let role): ["inset", role]
        case .arrange(let several): ["arrange"] + several.words
        case .scene(let name): ["scene", name]
        case .undo: ["undo"]
        case .visible(let role, let isVisible): [isVisible ? "unhide" : "hide", role]
        case .rotation(let role, let rotation): ["rotate", role, "\(rotation.degrees)"]
        case .mirrored(let role, let isMirrored): ["mirror", role, isMirrored ? "on" : "off"]
        case .zoom(let role, let factor): ["zoom", role, "\(factor)"]
        case .pan(let role, let position): ["pan", role, "\(position)"]
        case .tilt(let role, let position): ["tilt", role, "\(position)"]
        case .framing(let role, let mode): ["framing", role, mode.rawValue]
        case .detection(let role, let kinds):
            ["detect", role] + (kinds.isEmpty ? ["off"] : kinds.map(\.rawValue))
        case .gain(let role, let decibels): ["gain", role, "\(decibels)"]
        case .processing(let role, let processing): ["processing", role] + processing.words
        case .audible(let role, let isAudible): [isAudible ? "unmute" : "mute", role]
        case .enabled(let role, let isEnabled): [isEnabled ? "enable" : "disable", role]
        case .format(let role, let size, let rate):
            ["format", role, "\(size)" + (rate.map { "@\($0)" } ?? "")]
        case .startTrack(let role): ["start-track", role]
        case .stopTrack(let role): ["stop-track", role]
        case .removed(let role): ["remove", role]
        }
    }

    /// The words of the change, separated by spaces.
    public var description: String { words.joined(separator: " ") }

    /// Parses a size such as `1280x720`, or a size and a rate such as `1280x720@30`.
    private static func format(_ word: String) -> (size: FrameSize, rate: FrameRate?)? {
        let parts = word.split(separator: "@", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            let size = SizePreset(rawValue: String(parts[0]))?.size ?? FrameSize(String(parts[0]))
        else { return nil }
        guard parts.count == 2 else { return (size, nil) }
        return FrameRate(String(parts[1])).map { (size, $0) }
    }

    /// The part of a session that one kind of change affects.
    package enum Subject: Sendable {
        case picture, sound, devices
    }

    /// The syntax and properties of one kind of change.
    package struct Entry: Sendable {
        /// The first word of the change.
        package let name: String
        /// Syntax of the words after the name; empty if the change doesn't have arguments.
        package let arguments: String
        /// Description of the change's effect: a sentence without an initial capital and a final period.
        package let help: String
        package let subject: Subject
        /// Whether the change requires a running recording.
        package let needsRecording: Bool
        /// Whether the change ends a track or removes a device, which can't be undone.
        package let ends: Bool
        private let parse: @Sendable (Arguments) throws(SessionChangeError) -> SessionChange

        fileprivate init(
            _ name: String, _ arguments: String, _ help: String, of subject: Subject,
            needsRecording: Bool = false, ends: Bool = false,
            _ parse: @escaping @Sendable (Arguments) throws(SessionChangeError) -> SessionChange
        ) {
            (self.name, self.arguments, self.help, self.subject) = (name, arguments, help, subject)
            (self.needsRecording, self.ends) = (needsRecording, ends)
            self.parse = parse
        }

        /// Parses the arguments of a change.
        ///
        /// - Parameter words: The words after the name.
        /// - Returns: The parsed change.
        /// - Throws: `SessionChangeError` with the syntax if the words are invalid.
        package func change(_ words: [String]) throws(SessionChangeError) -> SessionChange {
            try parse(Arguments(entry: self, list: words))
        }
    }

    /// The arguments of a change: the words after its name.
    fileprivate struct Arguments {
        let entry: Entry
        let list: [String]

        subscript(index: Int) -> String { list[index] }

        /// All words except the first.
        var rest: [String] { Array(list.dropFirst()) }

        /// Returns the error for invalid arguments, with the syntax of the change and the expected value.
        func usageError(_ expected: String = "") -> SessionChangeError {
            let usage = ([entry.name] + [entry.arguments].filter { !$0.isEmpty }).joined(separator: " ")
            return SessionChangeError(
                .invalid,
                "`\(([entry.name] + list).joined(separator: " ").printable())`: expected `\(usage)`\(expected.isEmpty ? "" : ", \(expected)")."
            )
        }

        func checkCount(_ counts: ClosedRange<Int>) throws(SessionChangeError) {
            guard counts.contains(list.count) else { throw usageError() }
        }

        /// Returns the role that is the only argument.
        func role() throws(SessionChangeError) -> String {
            try checkCount(1...1)
            return list[0]
        }

        /// Returns the only argument as a value of an enumeration.
        func choice<Value: RawRepresentable<String> & CaseIterable>(
            of type: Value.Type
        ) throws(SessionChangeError) -> Value {
            try checkCount(1...1)
            guard let value = Value(rawValue: list[0]) else {
                throw usageError(
                    "where \(entry.arguments) is \(ProfileValue.list(Value.allCases.map(\.rawValue), nearestTo: list[0]))"
                )
            }
            return value
        }

        /// Returns the last of `count` arguments as a number.
        func number(_ count: Int, example: String) throws(SessionChangeError) -> Double {
            try checkCount(count...count)
            guard let number = Double(list[count - 1]), number.isFinite else {
                throw usageError("with a number such as \(example)")
            }
            return number
        }
    }

    /// All kinds of changes, with their syntax and effects.
    package static let vocabulary = [
        Entry(
            "swap", "[ROLE]", "swap the main camera with another camera. Default: the first inset",
            of: .picture
        ) { words throws(SessionChangeError) in
            try words.checkCount(0...1)
            return .swap(with: words.list.first)
        },
        Entry("show", "ROLE…", "show these cameras; the first becomes the main camera", of: .picture) {
            words throws(SessionChangeError) in
            try words.checkCount(1...Int.max)
            return .show(words.list)
        },
        Entry("inset", "ROLE", "show this camera as the first inset", of: .picture) {
            words throws(SessionChangeError) in .inset(try words.role())
        },
        Entry(
            "layout", "LAYOUT", "set the layout: \(ProfileValue.list(ProgramLayout.names))", of: .picture
        ) { words throws(SessionChangeError) in
            .layout(try words.choice(of: ProgramLayout.self))
        },
        Entry(
            "corner", "CORNER",
            "set the corner of the insets: top-left, top-right, bottom-left or bottom-right",
            of: .picture
        ) { words throws(SessionChangeError) in
            .corner(try words.choice(of: InsetStyle.Corner.self))
        },
        Entry(
            "scale", "SHARE", "set the inset width as a fraction of the program width, 0.05 to 1",
            of: .picture
        ) { words throws(SessionChangeError) in .scale(try words.number(1, example: "0.25")) },
        Entry(
            "arrange", "FIELD=VALUE…",
            "change several settings at once: layout=pip main=desk inset=face,wide corner=top-left scale=0.3 margin=0.02 border=4",
            of: .picture
        ) { words throws(SessionChangeError) in
            guard let several = ArrangementChange(words: words.list) else {
                throw words.usageError("with each field at most once and with valid values")
            }
            return .arrange(several)
        },
        Entry(
            "scene", "NAME", "show a scene of the profile or a scene saved with `save-scene`",
            of: .picture
        ) { words throws(SessionChangeError) in
            // A scene name can consist of several words.
            try words.checkCount(1...Int.max)
            return .scene(words.list.joined(separator: " "))
        },
        Entry("undo", "", "undo the last change to the program; repeat to redo it", of: .picture) {
            words throws(SessionChangeError) in
            try words.checkCount(0...0)
            return .undo
        },
        Entry("hide", "ROLE", "hide a camera in the program; its track continues", of: .picture) {
            words throws(SessionChangeError) in .visible(role: try words.role(), false)
        },
        Entry("unhide", "ROLE", "show a hidden camera", of: .picture) {
            words throws(SessionChangeError) in .visible(role: try words.role(), true)
        },
        Entry(
            "rotate", "ROLE DEGREES", "rotate a camera clockwise in the program: 0, 90, 180, or 270 degrees",
            of: .picture
        ) { words throws(SessionChangeError) in
            try words.checkCount(2...2)
            guard let degrees = Int(words[1]), let rotation = Rotation(rawValue: degrees) else {
                throw words.usageError("where DEGREES is 0, 90, 180, or 270")
            }
            return .rotation(role: words[0], rotation)
        },
        Entry("mirror", "ROLE on|off", "mirror a camera in the program", of: .picture) {
            words throws(SessionChangeError) in
            try words.checkCount(2...2)
            guard words[1] == "on" || words[1] == "off" else { throw words.usageError() }
            return .mirrored(role: words[0], words[1] == "on")
        },
        Entry("zoom", "ROLE FACTOR", "set the zoom factor of a camera in the program, 1 to 8", of: .picture) {
            words throws(SessionChangeError) in
            let factor = try words.number(2, example: "1.5")
            return .zoom(role: words[0], factor)
        },
        Entry(
            "pan", "ROLE POSITION", "set the horizontal position of a zoomed camera, -1 (left) to 1 (right)",
            of: .picture
        ) { words throws(SessionChangeError) in
            let position = try words.number(2, example: "0.5")
            return .pan(role: words[0], position)
        },
        Entry(
            "tilt", "ROLE POSITION", "set the vertical position of a zoomed camera, -1 (down) to 1 (up)",
            of: .picture
        ) { words throws(SessionChangeError) in
            let position = try words.number(2, example: "0.5")
            return .tilt(role: words[0], position)
        },
        Entry(
            "framing", "ROLE people|speaker|off",
            "keep all people, or the person who is speaking, in the picture of a camera in the program",
            of: .picture
        ) { words throws(SessionChangeError) in
            try words.checkCount(2...2)
            guard let mode = FramingMode(rawValue: words[1]) else { throw words.usageError() }
            return .framing(role: words[0], mode)
        },
        Entry(
            "detect", "ROLE faces|codes|off…", "search the frames of a camera for faces, codes, or both",
            of: .devices
        ) { words throws(SessionChangeError) in
            try words.checkCount(2...3)
            if words.list.dropFirst().elementsEqual(["off"]) { return .detection(role: words[0], []) }
            let kinds = words.list.dropFirst().compactMap { DetectionKind(rawValue: $0) }
            guard kinds.count == words.list.count - 1, Set(kinds).count == kinds.count else {
                throw words.usageError()
            }
            return .detection(role: words[0], kinds)
        },
        Entry(
            "gain", "ROLE DECIBELS", "set the gain of a microphone in the program, -60 to 30 dB", of: .sound
        ) { words throws(SessionChangeError) in
            let decibels = try words.number(2, example: "-6")
            return .gain(role: words[0], decibels: decibels)
        },
        Entry(
            "processing", "ROLE|program PRESET [SETTING=VALUE…]",
            "set the filters of a microphone in the program, or of the mix: \(SoundProcessing.Preset.allCases.map(\.rawValue).joined(separator: ", "))",
            of: .sound
        ) { words throws(SessionChangeError) in
            try words.checkCount(2...16)
            switch SoundProcessing.parse(words.rest) {
            case .success(let processing): return .processing(role: words[0], processing)
            case .failure(let problem): throw words.usageError("\(problem)")
            }
        },
        Entry("mute", "ROLE", "mute a microphone in the program; its track continues", of: .sound) {
            words throws(SessionChangeError) in .audible(role: try words.role(), false)
        },
        Entry("unmute", "ROLE", "unmute a microphone in the program", of: .sound) {
            words throws(SessionChangeError) in .audible(role: try words.role(), true)
        },
        Entry(
            "disable", "ROLE",
            "turn off a camera (recorded as a slate) or a microphone (recorded as silence)",
            of: .devices, needsRecording: true
        ) { words throws(SessionChangeError) in .enabled(role: try words.role(), false) },
        Entry("enable", "ROLE", "turn on a camera or microphone", of: .devices, needsRecording: true) {
            words throws(SessionChangeError) in .enabled(role: try words.role(), true)
        },
        Entry(
            "format", "ROLE WIDTHxHEIGHT[@RATE]", "change the frame size and frame rate of a camera",
            of: .devices, needsRecording: true
        ) { words throws(SessionChangeError) in
            try words.checkCount(2...2)
            guard let (size, rate) = SessionChange.format(words[1]) else {
                throw words.usageError("for example 1280x720@30")
            }
            return .format(role: words[0], size, rate)
        },
        Entry(
            "stop-track", "ROLE", "stop the track of a camera or microphone; the device keeps running",
            of: .devices, needsRecording: true, ends: true
        ) { words throws(SessionChangeError) in .stopTrack(role: try words.role()) },
        Entry(
            "start-track", "ROLE", "start a new track of a camera or microphone", of: .devices,
            needsRecording: true
        ) { words throws(SessionChangeError) in .startTrack(role: try words.role()) },
        Entry(
            "remove", "ROLE", "remove a camera or microphone from the session and stop its track",
            of: .devices, needsRecording: true, ends: true
        ) { words throws(SessionChangeError) in .removed(role: try words.role()) },
    ]

    /// Parses a change; returns `nil` if the first word isn't the name of a change.
    ///
    /// - Parameter words: The name of the change and its arguments, as in `vocabulary`.
    /// - Throws: `SessionChangeError` if the arguments are invalid.
    package init?(words: [String]) throws(SessionChangeError) {
        guard let entry = Self.vocabulary.first(where: { $0.name == words.first }) else { return nil }
        self = try entry.change(Array(words.dropFirst()))
    }
}

/// The reason why a running session can't be changed as requested. A rejected change doesn't affect the
/// session.
public struct SessionChangeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Why a request wasn't fulfilled, for programs that react to it.
    public enum Reason: Sendable, Hashable {
        /// A value is out of its range, or the request isn't well formed.
        case invalid
        /// The session doesn't contain a device, track, or scene with this name.
        case notFound
        /// The requested state is already in effect.
        case unchanged
        /// The role or device is already in use, or the tap was already attached.
        case inUse
        /// The request requires a recording or a running device.
        case notRunning
        /// The session's plan or the device doesn't allow the request.
        case unsupported
        /// The changed plan would exceed the profile's budget.
        case overBudget
        /// The device or the file of its track failed.
        case failed
        /// The session or its recording has ended, or is ending.
        case ended
    }

    /// Why the request wasn't fulfilled.
    public let reason: Reason
    /// User-readable message with the requested change, the reason why it isn't possible, and an alternative.
    public let description: String

    /// Creates an error with a user-readable message.
    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// Creates an error from the failure of a camera.
    package init(_ error: DeviceError) {
        let isInvalid = if case .control(let fault) = error.reason { fault.isUsageError } else { false }
        self.init(isInvalid ? .invalid : .failed, "camera \(error)".printable(limit: 1000))
    }
}

/// The outcome of a change that was requested of a running session.
public enum ChangeOutcome: Sendable, Equatable {
    /// The change is visible in the recording from this time on, relative to T0.
    case recorded(from: MediaTime)
    /// No recording is running. The change applies from the start of the next recording.
    case nextRecording
    /// The recording ended before the change took effect, so the change was discarded.
    case recordingEnded
}

/// A callback that receives the outcome of a requested change. The callback is called once, on any thread, and must not
/// block.
package typealias ChangeCompletion = @Sendable (ChangeOutcome) -> Void
