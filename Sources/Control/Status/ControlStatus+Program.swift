internal import Inputs
internal import Media
internal import Plan
internal import Profiles
internal import Timing

extension ControlStatus {
    /// The state of the program.
    public struct Program: Sendable, Equatable, Codable {
        /// The name of the layout.
        public var layout: String
        /// Roles of the visible cameras, the main one first.
        public var shown: [String]
        /// Roles of the cameras in the frame that was composed last, the main one first: a change is in it when the recording has
        /// come to it.
        public var on_air: [String]
        /// Roles of the audible microphones.
        public var mix: [String]
        /// New frames composed since T0.
        public var captured: Int
        /// Frames that show the last one again.
        public var repeated: Int
        /// The number of frames lost so far because the computer or the disk was too slow.
        public var lost: Int
        /// Lost frames by cause, those that its cameras lost while it showed them among them; no entry is zero.
        public var losses: [String: Int]
        /// The loudness of the program's audio so far; `nil` while nothing is recorded, or when it has no audio.
        public var loudness: Loudness?

        init(_ program: PlannedProgram, _ status: SessionStatus) {
            layout = program.arrangement.layout.rawValue
            shown = program.arrangement.shown
            on_air = status.shown.isEmpty ? program.layers.map(\.role) : status.shown
            mix = program.mix
            captured = status.program.captured
            repeated = status.program.repeated
            lost = status.programLost
            losses = ControlStatus.byCause(status.program.lost)
            loudness = status.mix.map { Loudness($0) }
        }
    }

    /// What the program shows, in the words of a profile, and where that is.
    public struct Arrangement: Sendable, Equatable, Codable {
        /// A camera's place in the program.
        public struct Layer: Sendable, Equatable, Codable {
            /// The camera's role.
            public var role: String
            /// Pixels from the program's left edge.
            public var x: Int
            /// Pixels from the program's top edge.
            public var y: Int
            /// Width in pixels of the program.
            public var width: Int
            /// Height in pixels of the program.
            public var height: Int
            /// Clockwise degrees by which the camera's delivered frames are turned.
            public var rotation: Int
            /// Whether left and right are exchanged.
            public var mirrored: Bool
        }

        /// The name of the layout.
        public var layout: String
        /// The role of the main camera.
        public var main: String
        /// Roles of the other cameras, in order: from the corner on, or after the main one.
        public var inset: [String]
        /// Roles that keep their place in the order and are not shown.
        public var hidden: [String]
        /// The corner from which insets are stacked.
        public var corner: String
        /// An inset's width as a share of the program's.
        public var scale: Double
        /// The distance from the edges as a share of the program's width.
        public var margin: Double
        /// Width in pixels of the white frame inside each inset.
        public var border: Int
        /// How frames of another shape fill their places: `fit` or `fill`.
        public var filling: String
        /// Zooms of cameras by role: how many times larger they are seen.
        public var zoom: [String: Double]
        /// The program's width and height in pixels.
        public var size: [Int]
        /// The program's frames per second.
        public var rate: Double
        /// The places of the shown cameras, from the back to the front.
        public var layers: [Layer]

        init(_ program: PlannedProgram) {
            let arrangement = program.arrangement
            layout = arrangement.layout.rawValue
            main = arrangement.main
            inset = arrangement.insets
            hidden = arrangement.hidden.sorted()
            corner = arrangement.corner.rawValue
            scale = arrangement.insetShare
            margin = arrangement.marginShare
            border = arrangement.border
            filling = arrangement.filling.rawValue
            zoom = arrangement.zooms.mapValues(\.factor)
            size = [program.settings.size.width, program.settings.size.height]
            rate = program.settings.rate.perSecond
            layers = program.layers.map {
                Layer(
                    role: $0.role, x: $0.rectangle.x, y: $0.rectangle.y, width: $0.rectangle.width,
                    height: $0.rectangle.height, rotation: $0.rotation.degrees, mirrored: $0.isMirrored)
            }
        }
    }
}
