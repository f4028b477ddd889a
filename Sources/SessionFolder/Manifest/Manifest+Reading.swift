internal import FoundationEssentials
internal import Media
internal import Timing

extension Manifest {
    /// Range of times accepted in a manifest or an event, in nanoseconds: about three years in both directions, so that sums of
    /// some of them do not overflow.
    static let plausibleTimes = Int64(-100_000_000_000_000_000)...100_000_000_000_000_000

    /// Reads a manifest that somebody may have edited, and checks that its numbers are plausible, so that arithmetic with them
    /// does not overflow.
    ///
    /// - Parameter bytes: Content of `manifest.json`.
    /// - Throws: `ManifestFault` with the first fault: no JSON, a field that is missing or has a wrong type, another schema, or
    ///   a number that no recording has.
    public init(reading bytes: [UInt8]) throws(ManifestFault) {
        do {
            self = try JSONText.decoder().decode(Manifest.self, from: Data(bytes))
        } catch {
            throw ManifestFault(error)
        }
        guard schema == 1 else {
            throw ManifestFault(
                reason: "is of another version of multicam (schema \(schema)). Use that one")
        }
        if let field = implausible {
            throw ManifestFault(reason: "tells a number in \(field) that cannot be")
        }
    }

    /// Name of the first field whose number no recording can have; `nil` where there is none.
    private var implausible: String? {
        var check = NumberCheck()
        check.time(duration_ns, "duration_ns")
        check.time(alignment_delay_ns, "alignment_delay_ns")
        for (index, track) in tracks.enumerated() { check.check(track, "tracks.\(index)") }
        for (index, gap) in gaps.enumerated() {
            check.time(gap.from.nanoseconds, "gaps.\(index).from_ns")
            check.time(gap.to.nanoseconds, "gaps.\(index).to_ns")
        }
        for (index, mark) in marks.enumerated() { check.time(mark.at_ns, "marks.\(index).at_ns") }
        for (index, step) in governor.enumerated() { check.time(step.at_ns, "governor.\(index).at_ns") }
        for (index, change) in (changes ?? []).enumerated() {
            check.time(change.at_ns, "changes.\(index).at_ns")
        }
        for (index, arrangement) in (arrangements ?? []).enumerated() {
            check.require(arrangement.isPlausible, "arrangements.\(index)")
        }
        for (index, publication) in (publications ?? []).enumerated() {
            check.count(publication.sent_frames, "publications.\(index).sent_frames")
            check.count(publication.dropped_frames, "publications.\(index).dropped_frames")
            for connection in publication.connected {
                check.time(connection.from_ns, "publications.\(index).connected.from_ns")
                check.time(connection.to_ns, "publications.\(index).connected.to_ns")
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
            check.count(track.filled_ns, "recovery.tracks.\(index).filled_ns")
        }
        return check.wrongField
    }
}

/// Checks numbers one by one, and keeps the name of the first implausible one.
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
            let counts = [frames.written, frames.captured, frames.skipped, frames.repeated, frames.slate]
            for number in counts + frames.lost.values { count(number, name + ".frames") }
        }
        if let samples = track.samples {
            for number in [samples.written, samples.captured, samples.filled] {
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
