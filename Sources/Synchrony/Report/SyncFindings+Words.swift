internal import Media

extension SyncFindings {
    /// The verdict in one or two sentences for people.
    public var sentence: String {
        let apart = tracks.filter { $0.verdict == .apart }
        let unknown = tracks.filter { $0.verdict == .unknown }
        let rest = unknown.isEmpty ? "" : " Not known of \(Self.list(unknown.map(\.label)))."
        switch verdict {
        case .apart:
            return
                "\(Self.list(apart.map(\.label))) \(apart.count == 1 ? "is" : "are") apart beyond the tolerance.\(rest)"
        case .aligned:
            return "As far as it can be measured, the tracks line up.\(rest)"
        case .unknown:
            return
                "Unknown: no two tracks share a flash, a clap or enough audio to be compared. Clap once in view of all cameras, "
                + "at the start and at the end."
        }
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension SyncFindings.Track {
    /// Name of the track for people; a program's track also names frames or audio.
    public var label: String {
        switch kind {
        case .camera, .microphone: name
        case .programFrame: "\(name) (frames)"
        case .programAudio: "\(name) (audio)"
        }
    }

    /// The verdict with its figures in a few words.
    public var summary: String {
        switch verdict {
        case .reference: "reference"
        case .unknown: "unknown"
        case .aligned, .apart:
            [
                verdict.rawValue,
                start.map { "start \(text(of: $0))" }, end.map { "end \(text(of: $0))" },
                driftText.map { "drift \($0)" },
            ].compactMap { $0 }.joined(separator: ", ")
        }
    }

    /// An offset in words. Frames that are aligned as far as frames can tell are “within one frame”: a figure of half a frame
    /// would look like a measurement.
    ///
    /// - Parameter measured: An offset of this track.
    /// - Returns: A few words.
    public func text(of measured: MeasuredOffset) -> String {
        guard let frame, measured.leastMagnitude == .zero, measured.offset.magnitude <= frame,
            measured.uncertainty > frame / 2
        else { return measured.text }
        return "within one frame"
    }

    /// The drift with its uncertainty, for example `+1.2 ± 0.3 ppm`; `nil` where it is not known.
    public var driftText: String? {
        guard let drift, let driftUncertainty else { return nil }
        return "\(drift.decimals(1, isSigned: true)) ± \(driftUncertainty.decimals(1)) ppm"
    }
}

extension MeasuredOffset {
    /// The offset with its uncertainty in milliseconds, with hundredths where they are significant.
    public var text: String {
        let digits = uncertainty < .milliseconds(1) ? 2 : 1
        let offset = self.offset.inMilliseconds.decimals(digits, isSigned: true)
        return "\(offset) ± \(uncertainty.inMilliseconds.decimals(digits)) ms"
    }
}

extension CheckedTrack.Kind {
    /// The kind of track as people call it.
    public var words: String {
        switch self {
        case .camera: "camera"
        case .microphone: "microphone"
        case .programFrame: "program's frames"
        case .programAudio: "program's audio"
        }
    }
}
