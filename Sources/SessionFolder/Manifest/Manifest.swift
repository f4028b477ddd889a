package import FoundationEssentials
internal import Glibc
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamPlan
package import MulticamProfiles
package import MulticamSystem
package import MulticamTiming

/// The content of `manifest.json`: devices, tracks, files, losses and cost of one recording. The format is a public
/// interface for other programs.
///
/// Property names are the keys of the JSON fields. File paths are relative to the session folder, and times are
/// nanoseconds since T0, the start of the session, unless a property says otherwise. `docs/manifest.schema.json` is the
/// JSON Schema.
package struct Manifest: Sendable, Equatable, Codable {
    /// File name of the manifest in a session folder.
    package static let fileName = "manifest.json"
    /// Maximum size in bytes of a `manifest.json` that is read. A hundred thousand gaps and markers take about 10 MB.
    package static let largestByteCount = 256 << 20

    /// Outcome of a recording.
    package enum Outcome: String, Sendable, Codable, CaseIterable {
        /// The recording is still running, or a crash or power loss interrupted it.
        case recording
        case finished
        /// A file could not be written or finalized as intended. All written data is preserved.
        case storageFailed = "storage-failed"
        /// The recording was interrupted, and a recovery completed it.
        case recovered
    }

    /// The computer that recorded.
    package struct Machine: Sendable, Equatable, Codable {
        /// Host name of the computer.
        package var host: String
        /// Name and version of the operating system.
        package var system: String
        /// Number of processors.
        package var processors: Int

        package init(host: String, system: String, processors: Int) {
            self.host = host
            self.system = system
            self.processors = processors
        }
    }

    /// A marker that the user set during the recording.
    package struct Marker: Sendable, Equatable, Codable {
        /// Time of the marker in nanoseconds since T0.
        package var at_ns: Int64
        /// Text of the marker; may be empty.
        package var text: String

        package init(at_ns: Int64, text: String) {
            self.at_ns = at_ns
            self.text = text
        }
    }

    /// A step of the governor, which reduces quality while the machine is too slow and restores it later.
    package struct GovernorStep: Sendable, Equatable, Codable {
        /// Time of the step in nanoseconds since T0.
        package var at_ns: Int64
        /// Quality reduction that the governor applied or reverted.
        package var step: String
        /// Reason for the step.
        package var reason: String

        package init(at_ns: Int64, step: String, reason: String) {
            self.at_ns = at_ns
            self.step = step
            self.reason = reason
        }
    }

    /// Version of the manifest format.
    package var schema = 1
    /// Version of multicam that wrote the manifest.
    package var multicam: String
    /// Name of the profile.
    package var profile: String
    /// Title from the profile; `nil` if the profile has no title.
    package var title: String? = nil
    /// Names of people from the profile, by the role of their microphone or camera; `nil` if the profile names no
    /// people.
    package var people: [String: String]? = nil
    /// Project formats for editing applications that the profile requests, such as `fcpxml`; `nil` if it requests none.
    package var edit: [String]? = nil
    /// Wall-clock time at T0 in ISO 8601, with nanoseconds and the time zone.
    package var started: String
    /// T0 on `CLOCK_MONOTONIC` of the recording computer, in nanoseconds.
    package var t0_monotonic_ns: Int64
    /// Length of the recording in nanoseconds.
    package var duration_ns: Int64
    /// Delay in nanoseconds between a tick and the selection of its content by the session; constant within a
    /// recording.
    package var alignment_delay_ns: Int64
    /// Outcome of the recording.
    package var outcome: Outcome
    /// Reason why the recording ended early, if system pressure or a full disk ended it; otherwise `nil`.
    package var ended_by: String?
    /// The backup of this recording, or the recording of this backup; `nil` without a backup.
    package var other_folder: OtherFolder?
    /// The computer that recorded.
    package var machine: Machine
    /// Loss limits of the profile; `nil` if not set.
    package var limits: Limits? = nil
    /// Cameras and microphones of the recording.
    package var devices: [Device]
    /// Tracks of cameras, microphones and the program.
    package var tracks: [Track]
    /// Every media file with its checksum; `nil` while the recording is running.
    package var files: [File]?
    /// Predicted and measured cost of the recording.
    package var cost: Cost?
    /// Steps that the governor took, in order.
    package var governor: [GovernorStep]
    /// Markers set by the user.
    package var markers: [Marker]
    /// Changes to the program during the recording; `nil` if there are none.
    package var changes: [Change]? = nil
    /// Content and mix of the program at T0 and after each visible change; `nil` without a program.
    package var arrangements: [Arrangement]? = nil
    /// Motions of cameras that are framed automatically, in order; `nil` if there are none. Each motion changes the
    /// arrangement of its time.
    package var framings: [Framing]? = nil
    /// Stills taken during the recording; `nil` if there are none.
    package var stills: [Still]? = nil
    /// Live outputs of the recording, ordered by their first publication; `nil` in recordings made by older
    /// versions.
    package var live_outputs: [LiveOutput]? = nil
    /// Local recordings that phones uploaded after the session; `nil` if there are none.
    package var uploads: [Upload]? = nil
    /// Time ranges without captured frames or samples in a track, with the causes.
    package var gaps: [Gap]
    /// Statistics on how the session clock followed the common time of a group of computers; `nil` if the
    /// session clock didn't follow a group's time.
    package var group_time: GroupTime? = nil
    /// Result of recovering the recording after an interruption; `nil` if the recording was not recovered.
    package var recovery: Recovery?

    package init(
        schema: Int = 1, multicam: String, profile: String, started: String, t0_monotonic_ns: Int64,
        duration_ns: Int64, alignment_delay_ns: Int64, outcome: Outcome, ended_by: String? = nil,
        other_folder: OtherFolder? = nil, machine: Machine, limits: Limits? = nil, devices: [Device],
        tracks: [Track], files: [File]? = nil, cost: Cost? = nil, governor: [GovernorStep], markers: [Marker],
        changes: [Change]? = nil, arrangements: [Arrangement]? = nil, stills: [Still]? = nil, gaps: [Gap],
        recovery: Recovery? = nil
    ) {
        self.schema = schema
        self.multicam = multicam
        self.profile = profile
        self.started = started
        self.t0_monotonic_ns = t0_monotonic_ns
        self.duration_ns = duration_ns
        self.alignment_delay_ns = alignment_delay_ns
        self.outcome = outcome
        self.ended_by = ended_by
        self.other_folder = other_folder
        self.machine = machine
        self.limits = limits
        self.devices = devices
        self.tracks = tracks
        self.files = files
        self.cost = cost
        self.governor = governor
        self.markers = markers
        self.changes = changes
        self.arrangements = arrangements
        self.stills = stills
        self.gaps = gaps
        self.recovery = recovery
    }
}

extension Manifest {
    /// A change that the user made to the program during the recording.
    package struct Change: Sendable, Equatable, Codable {
        /// Time of the first frame or sample to which the change applies, in nanoseconds since T0.
        package var at_ns: Int64
        /// The requested changes: `swap`, `layout grid`, `gain host -6.0`.
        package var changes: [String]
        /// Layout of the program after the change; `nil` without a program.
        package var layout: ProgramLayout?
        /// Roles of the cameras that the program shows after the change, starting with the main camera; `nil` without a
        /// program.
        package var shown: [String]?
        /// Roles of the microphones that the program mixes after the change; `nil` without a program.
        package var mix: [String]?

        /// Hardware cost of the plan after the change; 1 is the full capacity of the scarcest resource. The value is
        /// `nil` if no cost was computed.
        package var cost: Double?
        /// Maximum hardware cost allowed by the profile; `nil` if no cost was computed for the change.
        package var budget: Double?
        /// Camera reductions that were necessary for the change, such as `guest 1280x720@30 → 1280x720@20`; `nil` if
        /// there are none.
        package var reductions: [String]?

        package init(
            at_ns: Int64, changes: [String], layout: ProgramLayout? = nil, shown: [String]? = nil,
            mix: [String]? = nil, cost: Double? = nil, budget: Double? = nil, reductions: [String]? = nil
        ) {
            self.at_ns = at_ns
            self.changes = changes
            self.layout = layout
            self.shown = shown
            self.mix = mix
            self.cost = cost
            self.budget = budget
            self.reductions = reductions
        }
    }
}

extension Manifest {
    /// A still taken during the recording.
    package struct Still: Sendable, Equatable, Codable {
        /// Capture time of the frame, in nanoseconds since T0.
        package var at_ns: Int64
        /// Role of the camera.
        package var role: String
        /// Path of the still, relative to the session folder.
        package var file: String
        /// Clip around the still, relative to the session folder; `nil` if no clip was requested.
        package var clip: String?

        package init(at_ns: Int64, role: String, file: String, clip: String?) {
            self.at_ns = at_ns
            self.role = role
            self.file = file
            self.clip = clip
        }
    }
}

extension Manifest {
    /// Loss limits of the profile. A recording that exceeds any limit counts as failed.
    package struct Limits: Sendable, Equatable, Codable {
        /// Maximum fraction of lost frames in each video track: lost ÷ (captured + lost), 0…1. `nil` means no limit.
        package var lost_frames: Double?
        /// Maximum fraction of lost samples in each microphone track: silence ÷ written, 0…1. `nil` means no limit.
        package var lost_samples: Double?
        /// Maximum duration of silence from a microphone, in nanoseconds; `nil` for no limit.
        package var silence_ns: Int64?
        /// Roles of the microphones that were silent for longer than `silence_ns`; `nil` if there are none.
        package var silent: [String]?

        /// Creates the limits of a profile; `nil` if the profile doesn't set limits.
        package init?(_ limits: RecordingLimits) {
            guard limits != .none else { return nil }
            lost_frames = limits.lostFrames
            lost_samples = limits.lostSamples
            silence_ns = limits.silence?.count
        }
    }
}

extension Manifest {
    /// Formats a date in ISO 8601 with nine decimal places for the seconds and the local time zone offset,
    /// such as `2026-01-31T12:00:00.000000000+01:00`.
    ///
    /// - Parameter date: The date. The precision of `ClockOffset` is lower than a nanosecond.
    /// - Returns: The formatted date.
    package static func timeStamp(_ date: Date) -> String {
        let total = date.timeIntervalSince1970
        var seconds = time_t(Int64(rounding: total.rounded(.down)))
        let fraction = Int64(rounding: (total - total.rounded(.down)) * 1e9, .down)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let offset = Int(parts.tm_gmtoff) / 60
        let date =
            "\((Int(parts.tm_year) + 1900).padded(4))-\((Int(parts.tm_mon) + 1).padded(2))-\(parts.tm_mday.padded(2))"
        let time =
            "\(parts.tm_hour.padded(2)):\(parts.tm_min.padded(2)):\(parts.tm_sec.padded(2))"
        let zone = "\(offset < 0 ? "-" : "+")\((abs(offset) / 60).padded(2)):\((abs(offset) % 60).padded(2))"
        return "\(date)T\(time).\(fraction.padded(9))\(zone)"
    }

    /// Parses a date formatted by `timeStamp`; `nil` if the text is not a valid date.
    ///
    /// - Parameter text: A date, such as `2026-01-31T12:00:00.000000000+01:00`.
    /// - Returns: The date, or `nil` if the text isn't valid.
    package static func date(ofTimeStamp text: String) -> Date? {
        let fraction = Double("0." + text.dropFirst(20).prefix { ("0"..."9").contains($0) }) ?? 0
        do {
            return try Date.ISO8601FormatStyle().parse(String(text.prefix(19)) + text.suffix(6))
                .addingTimeInterval(fraction)
        } catch {
            return nil
        }
    }
}

extension Manifest {
    /// Range of times accepted in a manifest or an event, in nanoseconds. The range extends about three years in both
    /// directions, so that sums of several times don't overflow.
    static let plausibleTimes = Int64(-100_000_000_000_000_000)...100_000_000_000_000_000

    /// Parses a manifest, which may have been edited, and checks that its numbers are plausible, so that arithmetic
    /// with them cannot overflow.
    ///
    /// - Parameter bytes: Content of `manifest.json`.
    /// - Throws: `ManifestFault` with the first fault: invalid JSON, a missing field or a field of the wrong type, an
    ///   unsupported schema, or an implausible number.
    package init(reading bytes: [UInt8]) throws(ManifestFault) {
        do {
            self = try JSONText.decoder().decode(Manifest.self, from: Data(bytes))
        } catch {
            throw ManifestFault(error)
        }
        guard schema == 1 else {
            throw ManifestFault(
                reason: "was written by another version of multicam (schema \(schema)). Use that version",
                isOtherVersion: true)
        }
        if let field = firstImplausibleField {
            throw ManifestFault(reason: "contains an invalid number in \(field)")
        }
    }

    /// Reads the manifest of a session folder.
    ///
    /// - Parameter file: The file `manifest.json`.
    /// - Throws: `FileError` if the file can't be read, and `ManifestFault` if it isn't a valid manifest.
    package init(reading file: ContainedFile) throws {
        self = try Manifest(reading: try WholeFile.bytes(of: file, atMost: Self.largestByteCount))
    }

    /// Name of the first field with an implausible number; `nil` if all numbers are plausible.
    private var firstImplausibleField: String? {
        var check = NumberCheck()
        check.time(duration_ns, "duration_ns")
        check.time(alignment_delay_ns, "alignment_delay_ns")
        for (index, track) in tracks.enumerated() { check.check(track, "tracks.\(index)") }
        for (index, gap) in gaps.enumerated() {
            check.time(gap.from.nanoseconds, "gaps.\(index).from_ns")
            check.time(gap.to.nanoseconds, "gaps.\(index).to_ns")
        }
        for (index, marker) in markers.enumerated() { check.time(marker.at_ns, "markers.\(index).at_ns") }
        for (index, step) in governor.enumerated() { check.time(step.at_ns, "governor.\(index).at_ns") }
        for (index, change) in (changes ?? []).enumerated() {
            check.time(change.at_ns, "changes.\(index).at_ns")
        }
        for (index, arrangement) in (arrangements ?? []).enumerated() {
            check.require(arrangement.isPlausible, "arrangements.\(index)")
        }
        for (index, framing) in (framings ?? []).enumerated() {
            check.time(framing.at_ns, "framings.\(index).at_ns")
            check.require(framing.motion.isPlausible, "framings.\(index).motion")
        }
        for (index, liveOutput) in (live_outputs ?? []).enumerated() {
            check.count(liveOutput.sent_frames, "live_outputs.\(index).sent_frames")
            check.count(liveOutput.dropped_frames, "live_outputs.\(index).dropped_frames")
            for connection in liveOutput.connected {
                check.time(connection.from_ns, "live_outputs.\(index).connected.from_ns")
                check.time(connection.to_ns, "live_outputs.\(index).connected.to_ns")
            }
        }
        for (index, upload) in (uploads ?? []).enumerated() {
            check.time(upload.first_ns, "uploads.\(index).first_ns")
            check.time(upload.duration_ns, "uploads.\(index).duration_ns")
            check.time(upload.error_ns, "uploads.\(index).error_ns")
            check.count(upload.frames, "uploads.\(index).frames")
            check.real(upload.rate, "uploads.\(index).rate")
        }
        for (index, device) in devices.enumerated() {
            check.count(device.clock.restarts, "devices.\(index).clock.restarts")
            check.count(device.clock.non_monotonic, "devices.\(index).clock.non_monotonic")
            check.real(device.clock.ppm, "devices.\(index).clock.ppm")
            check.real(device.clock.jitter_us, "devices.\(index).clock.jitter_us")
            check.real(device.clock.residual_us, "devices.\(index).clock.residual_us")
            check.real(device.format.rate, "devices.\(index).format.rate")
        }
        for (index, file) in (files ?? []).enumerated() {
            check.count(file.bytes, "files.\(index).bytes")
            check.count(file.hashed_from, "files.\(index).hashed_from")
        }
        for (index, track) in (recovery?.tracks ?? []).enumerated() {
            check.count(track.cut_ns, "recovery.tracks.\(index).cut_ns")
            check.count(track.padded_ns, "recovery.tracks.\(index).padded_ns")
        }
        return check.wrongField
    }
}

/// Checks numbers one by one and stores the name of the first implausible number.
private struct NumberCheck {
    private(set) var wrongField: String?

    mutating func check(_ track: Manifest.Track, _ name: String) {
        time(track.first_ns, name + ".first_ns")
        time(track.duration_ns, name + ".duration_ns")
        time(track.ended_ns, name + ".ended_ns")
        require((0...255).contains(track.stream), name + ".stream")
        require(track.channels.map { (0...64).contains($0) } ?? true, name + ".channels")
        for part in track.part_details ?? [] { time(part.first_ns, name + ".part_details.first_ns") }
        if let frames = track.frames {
            let counts = [frames.written, frames.captured, frames.decimated, frames.duplicated, frames.slate]
            for number in counts + frames.lost.values { count(number, name + ".frames") }
        }
        for number in (track.missing ?? [:]).values.flatMap(\.values) { count(number, name + ".missing") }
        if let samples = track.samples {
            for number in [samples.written, samples.captured, samples.silence] {
                count(number, name + ".samples")
            }
        }
    }

    mutating func time(_ nanoseconds: Int64?, _ name: @autoclosure () -> String) {
        require(nanoseconds.map(Manifest.plausibleTimes.contains) ?? true, name())
    }

    /// Accepts counts from 0 to 10¹⁷.
    mutating func count(_ number: (some BinaryInteger)?, _ name: @autoclosure () -> String) {
        require(number.map { $0 >= 0 && $0 <= Manifest.plausibleTimes.upperBound } ?? true, name())
    }

    mutating func real(_ number: Double, _ name: @autoclosure () -> String) {
        require(abs(number) < 1e12, name())
    }

    mutating func require(_ isPlausible: Bool, _ name: @autoclosure () -> String) {
        if !isPlausible, wrongField == nil { wrongField = name() }
    }
}

/// The reason why a file isn't a usable manifest: the file is incomplete, was edited, or was written by
/// another version of multicam.
package struct ManifestFault: Error, Sendable, Equatable {
    /// The fault, as a predicate for the subject "manifest.json": for example `isn't valid JSON` or
    /// `contains an invalid value in tracks.0.first_ns`.
    package let reason: String
    /// Whether the manifest was written by another version of multicam and can be read only by that version.
    let isOtherVersion: Bool

    /// Creates a fault from a predicate for the subject "manifest.json".
    package init(reason: String) { self.init(reason: reason, isOtherVersion: false) }

    init(reason: String, isOtherVersion: Bool) {
        (self.reason, self.isOtherVersion) = (reason, isOtherVersion)
    }

    /// Creates a fault from the decoder's first error.
    package init(_ error: any Error) {
        guard let error = error as? DecodingError else {
            (reason, isOtherVersion) = ("isn't valid JSON", false)
            return
        }
        // A later version of multicam may define additional values for these fields. Recovery must not
        // replace such a manifest.
        if case .dataCorrupted(let context) = error, let field = context.codingPath.last?.stringValue {
            isOtherVersion = ["layout", "fit", "rotation"].contains(field)
        } else {
            isOtherVersion = false
        }
        switch error {
        case .keyNotFound(let key, let context):
            reason = "lacks the field \(Self.path(context.codingPath + [key]))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: reason = "isn't valid JSON"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            reason =
                context.codingPath.isEmpty
                ? "is damaged or was written by another version"
                : "contains an invalid value in \(Self.path(context.codingPath))"
        @unknown default: reason = "cannot be decoded"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { "\($0)" } ?? $0.stringValue.printable() }.joined(separator: ".")
    }
}
