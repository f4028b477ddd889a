import Glibc
import MulticamEncoding
import MulticamMedia

/// The picture of a person who takes part in a conversation. The room and the body are drawn once. The head is drawn
/// once per pose, and the eyes and the mouth once per pose and shape. All frames are composed of these drawings.
final class PeopleScene {
    let turn: Turn
    let pixel: PixelFormat
    /// The area of the whole stored frame.
    let whole: PixelRectangle
    /// The areas of the stored frame that change, in the order in which they are painted.
    let head: PixelRectangle
    let eyes: PixelRectangle
    let mouth: PixelRectangle
    /// The picture of a person who listens.
    let background: Canvas
    private let person: Int
    private let conversation: Conversation
    private let appearance: FrameAppearance
    private let room: Pen
    /// Pixels per unit of the drawing.
    private let unit: Double
    private var drawings: [Drawing: Canvas] = [:]

    private struct Drawing: Hashable {
        let area: PixelRectangle
        let state: Figure.State
    }

    /// Height and minimum width of the view in units of the drawing.
    private static let view = (height: 360.0, width: 400.0)
    /// Position and size of the figure in the view.
    private static let figure = (y: -134.0, scale: 1.12)
    /// Units of the drawing per pixel in which the room is drawn, so that it is out of focus.
    private static let blur = 3.2

    /// Draws the room and the person.
    ///
    /// - Parameters:
    ///   - person: Number of the person, at least 1. People above `Conversation.maxPeople` resemble earlier ones.
    ///   - conversation: The conversation in which the person takes part.
    ///   - turn: Size and rotation of the frame.
    ///   - pixel: Pixel format of the frames.
    ///   - appearance: The effect of the camera's controls.
    init(
        person: Int, conversation: Conversation, turn: Turn, pixel: PixelFormat, appearance: FrameAppearance
    ) {
        self.person = person
        self.conversation = conversation
        self.turn = turn
        self.pixel = pixel
        self.appearance = appearance
        let upright = turn.upright
        let unit = min(Double(upright.height) / Self.view.height, Double(upright.width) / Self.view.width)
        self.unit = unit
        let (width, height) = (Double(upright.width) / unit, Double(upright.height) / unit)
        // Small images have at least two pixels per side.
        func part(_ length: Double) -> Int { max(2, Int(length / Self.blur)) }
        let sharp = Pen(size: FrameSize(width: part(width), height: part(height)), appearance: appearance)
        sharp.translate(Double(sharp.size.width) / 2, Double(sharp.size.height))
        sharp.scale(Double(sharp.size.height) / height)
        let number = (person - 1) % Conversation.maxPeople + 1
        Room.draw(number, with: sharp, width: width * 1.02, height: height * 1.02)
        // Linear interpolation in two steps is smooth, unlike a single step.
        room = Pen(
            size: FrameSize(width: sharp.size.width * 3, height: sharp.size.height * 3),
            appearance: appearance)
        room.draw(sharp, enlarged: 3)
        func area(_ region: Figure.Region) -> PixelRectangle {
            let scale = Self.figure.scale * unit
            let x = Double(upright.width) / 2 + region.x * scale
            let y = Double(upright.height) + Self.figure.y * unit + region.y * scale
            // Even positions, because chroma has half the resolution.
            let left = max(0, Int(x) / 2 * 2)
            let top = max(0, Int(y) / 2 * 2)
            let right = min(upright.width, (Int(x + region.width * scale) + 2) / 2 * 2)
            let bottom = min(upright.height, (Int(y + region.height * scale) + 2) / 2 * 2)
            return turn.stored(PixelRectangle(x: left, y: top, width: right - left, height: bottom - top))
        }
        (head, eyes, mouth) = (area(Figure.headRegion), area(Figure.eyeRegion), area(Figure.mouthRegion))
        whole = PixelRectangle(x: 0, y: 0, width: turn.stored.width, height: turn.stored.height)
        background = Self.draw(
            whole, Figure.State(), person, room, unit, turn, appearance
        ).canvas(pixel)
    }

    private static func draw(
        _ area: PixelRectangle, _ state: Figure.State, _ person: Int, _ room: Pen, _ unit: Double,
        _ turn: Turn,
        _ appearance: FrameAppearance
    ) -> Pen {
        let pen = Pen(size: FrameSize(width: area.width, height: area.height), appearance: appearance)
        let upright = turn.upright
        pen.translate(-Double(area.x), -Double(area.y))
        // The stored frame is the upright frame, rotated counterclockwise.
        switch turn.rotation {
        case .none: break
        case .quarter: pen.translate(0, Double(turn.stored.height))
        case .half: pen.translate(Double(turn.stored.width), Double(turn.stored.height))
        case .threeQuarters: pen.translate(Double(turn.stored.width), 0)
        }
        pen.rotate(degrees: -Double(turn.rotation.rawValue))
        pen.draw(room, enlarged: Double(upright.height) / Double(room.size.height))
        pen.translate(Double(upright.width) / 2, Double(upright.height))
        pen.scale(unit)
        pen.translate(0, figure.y)
        pen.scale(figure.scale)
        Figure.all[(person - 1) % Figure.all.count].draw(with: pen, state)
        return pen
    }

    /// Returns the drawing of an area of the stored frame in a state.
    func drawing(_ area: PixelRectangle, _ state: Figure.State) -> Canvas {
        let key = Drawing(area: area, state: state)
        if let known = drawings[key] { return known }
        let new = Self.draw(area, state, person, room, unit, turn, appearance).canvas(pixel)
        drawings[key] = new
        return new
    }

    /// Returns the state of the figure at a time.
    func state(at time: ClockTime) -> Figure.State {
        let seconds = Double(time.nanoseconds) / 1e9
        var state = Figure.State()
        let turn = conversation.turn(at: seconds)
        if turn.speaker == person {
            let articulation = Voice(person: person).articulation(at: seconds)
            let opening = articulation.opening * turn.gate
            if opening > 0.1 {
                let size = opening < 0.28 ? 0 : opening < 0.5 ? 1 : 2
                state.mouth = 1 + size * 2 + (articulation.width < 0.4 ? 0 : 1)
            }
        }
        state.eyes = eyes(at: seconds)
        state.pose = pose(at: seconds)
        return state
    }

    private func eyes(at seconds: Double) -> Int {
        let interval = 3.3 + 0.4 * Double(person % 3)
        let number = (seconds / interval).rounded(.down)
        let delay =
            Conversation.fraction(UInt64(bitPattern: Int64(number)), 16 + UInt64(person)) * (interval - 0.4)
        let since = seconds - number * interval - delay
        switch since {
        case 0..<0.04, 0.12..<0.17: return 1
        case 0.04..<0.12: return 2
        default: return 0
        }
    }

    private func pose(at seconds: Double) -> Int {
        let phase = Double(person) * 2
        let involvement = conversation.involvement(of: person, at: seconds)
        let sway = 0.45 * wave(0.11, phase, seconds) + 0.5 * involvement * wave(0.43, phase, seconds)
        let middle = Figure.State.poseCount / 2
        return min(max(middle + Int(rounding: sway * Double(middle)), 0), Figure.State.poseCount - 1)
    }

    private func wave(_ rate: Double, _ phase: Double, _ seconds: Double) -> Double {

        sin(2 * .pi * rate * seconds + phase)
    }

    /// Paints the moving parts of a state on a canvas that contains a band of the frame.
    ///
    /// - Parameters:
    ///   - state: The state of the figure.
    ///   - canvas: A canvas with the width of the frame.
    ///   - rows: The rows of the frame that the canvas contains.
    func paint(_ state: Figure.State, on canvas: Canvas, rows: Range<Int>) {
        let parts = [
            (head, Figure.State(pose: state.pose)), (eyes, Figure.State(pose: state.pose, eyes: state.eyes)),
            (mouth, Figure.State(pose: state.pose, mouth: state.mouth)),
        ]
        for (area, state) in parts where area.rows.overlaps(rows) {
            canvas.paint(drawing(area, state), x: area.x, y: area.y - rows.lowerBound)
        }
    }
}

/// Paints the person into raw frames, each in separate memory.
final class RawPeoplePainter: FramePainting {
    private let scene: PeopleScene

    init(scene: PeopleScene) { self.scene = scene }

    func paint(_ frame: ExposedFrame) -> PaintedFrame {
        let canvas = scene.background.copy()
        scene.paint(scene.state(at: frame.time), on: canvas, rows: 0..<canvas.size.height)
        return PaintedFrame(memory: canvas.memory, planes: canvas.planes)
    }
}

/// Paints the person as JPEGs. Each band is encoded once per state that is visible in it.
final class JPEGPeoplePainter: FramePainting {
    private let scene: PeopleScene
    private let encoder: JPEGBandEncoder
    private var staticBands: [SharedBytes] = []
    private var cachedBands: [Content: SharedBytes] = [:]

    private struct Content: Hashable {
        let band: Int
        let state: Figure.State
    }

    init(scene: PeopleScene) throws(EncodingError) {
        self.scene = scene
        encoder = JPEGBandEncoder(size: scene.turn.stored)
        for rows in encoder.bands { staticBands.append(try encoder.encode(scene.background, rows: rows)) }
    }

    func paint(_ frame: ExposedFrame) throws(EncodingError) -> PaintedFrame {
        let state = scene.state(at: frame.time)
        var pieces = staticBands
        for (index, rows) in encoder.bands.enumerated() where scene.head.rows.overlaps(rows) {
            let visible = Figure.State(
                pose: state.pose, mouth: scene.mouth.rows.overlaps(rows) ? state.mouth : 0,
                eyes: scene.eyes.rows.overlaps(rows) ? state.eyes : 0)
            let content = Content(band: index, state: visible)
            if let piece = cachedBands[content] {
                pieces[index] = piece
                continue
            }
            let canvas = Canvas(.i422, FrameSize(width: scene.turn.stored.width, height: rows.count))
            canvas.paint(scene.background, x: 0, y: -rows.lowerBound)
            scene.paint(visible, on: canvas, rows: rows)
            let piece = try encoder.encode(canvas, rows: 0..<rows.count)
            cachedBands[content] = piece
            pieces[index] = piece
        }
        return PaintedFrame(memory: encoder.join(pieces))
    }
}
