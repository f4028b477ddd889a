internal import Inputs
internal import Media
internal import Plan
internal import SessionFolder

extension ControlStatus {
    /// The state of a live output.
    public struct Publication: Sendable, Equatable, Codable {
        /// Its name.
        public var name: String
        /// The kind of its destination: `srt`, `rtmp`, `whip`, `v4l2` or `pulse`.
        public var kind: String
        /// What it is doing: `off`, `connecting`, `connected`, `waiting`, `refused` or `ended`.
        public var state: String
        /// Why, as a sentence; `nil` where there is nothing to say.
        public var text: String?
        /// When the state began, in nanoseconds on the scale of `time_ns`; `nil` for what nobody has wanted yet.
        public var since_ns: Int64?
        /// Frames that were sent so far; of a virtual microphone, blocks of 20 ms.
        public var sent_frames: Int64
        /// Frames that were not sent so far, since the destination took too few, or was away.
        public var dropped_frames: Int64
        /// Bits per second that are sent now; `nil` while that is not known.
        public var bitrate: Int64?

        static func all(_ status: SessionStatus, _ plan: SessionPlan) -> [Publication] {
            let planned = plan.publications.map { publication in
                status.publications.first { $0.name == publication.name }.map { Publication($0, status) }
                    ?? Publication(publication)
            }
            let names = plan.publications.map(\.name)
            return planned
                + status.publications.filter { !names.contains($0.name) }.map { Publication($0, status) }
        }

        private init(_ planned: PlannedPublication) {
            (name, kind) = (planned.name, planned.kind.rawValue)
            (state, text, since_ns) = (PublicationStatus.State.off.rawValue, nil, nil)
            (sent_frames, dropped_frames, bitrate) = (0, 0, nil)
        }

        private init(_ publication: PublicationStatus, _ status: SessionStatus) {
            (name, kind) = (publication.name, publication.kind.rawValue)
            (state, text) = (publication.state.rawValue, publication.text)
            let age = status.takenAt - publication.since
            since_ns = status.phase == .starting ? nil : (Nanoseconds(status.time.nanoseconds) - age).count
            (sent_frames, dropped_frames) = (publication.sentFrames, publication.droppedFrames)
            bitrate = publication.bitrate
        }
    }
}
