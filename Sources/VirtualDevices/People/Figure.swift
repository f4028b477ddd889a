import MulticamMedia

/// A drawn person, head and shoulders, who sits at a microphone. The origin of the coordinates is the base of the neck;
/// the head is about 130 units high.
struct Figure: Sendable {
    /// The parts of the picture that move.
    struct State: Hashable {
        /// Inclination of the head, from 0 to `poseCount` − 1.
        var pose = Self.poseCount / 2
        /// Shape of the mouth: 0 is closed; the others are combinations of three openings and two widths.
        var mouth = 0
        /// 0 for open eyes, 1 for half-closed eyes, 2 for closed eyes.
        var eyes = 0

        static let poseCount = 25
    }

    private enum Hair { case short, curls, long }

    private let skin: DrawingColor
    private let hairColor: DrawingColor
    private let shirt: DrawingColor
    private let collar: DrawingColor
    private let iris: DrawingColor
    private let hair: Hair
    private let hasGlasses: Bool
    private let hasBeard: Bool
    /// Side of the microphone: −1 is left, and 1 is right.
    private let side: Double

    /// The figures in the order of their numbers, which begin at 1.
    static let all = [
        Figure(
            skin: DrawingColor(0xe9b995), hairColor: DrawingColor(0x3a2a21), shirt: DrawingColor(0x2d5f86),
            collar: DrawingColor(0xdfe7ee), iris: DrawingColor(0x4a6d7c), hair: .short, hasGlasses: false,
            hasBeard: true, side: 1),
        Figure(
            skin: DrawingColor(0x8d5b3d), hairColor: DrawingColor(0x241b19), shirt: DrawingColor(0xc58d2e),
            collar: DrawingColor(0xa87322), iris: DrawingColor(0x3a2417), hair: .curls, hasGlasses: false,
            hasBeard: false, side: -1),
        Figure(
            skin: DrawingColor(0xd9a47c), hairColor: DrawingColor(0x8c8782), shirt: DrawingColor(0x4e5a4a),
            collar: DrawingColor(0x3a4438), iris: DrawingColor(0x4d3b2a), hair: .short, hasGlasses: true,
            hasBeard: false, side: -1),
        Figure(
            skin: DrawingColor(0xf0c8a8), hairColor: DrawingColor(0x8a4b2a), shirt: DrawingColor(0x7a3b52),
            collar: DrawingColor(0x5f2c40), iris: DrawingColor(0x4f7a55), hair: .long, hasGlasses: false,
            hasBeard: false, side: 1),
    ]

    /// A rectangle around parts of the figure that move, in every pose.
    struct Region { let x, y, width, height: Double }

    static let headRegion = Region(x: -112, y: -168, width: 224, height: 246)
    static let eyeRegion = Region(x: -46, y: -68, width: 92, height: 31)
    static let mouthRegion = Region(x: -36, y: -24, width: 72, height: 44)

    /// Draws the figure.
    func draw(with pen: Pen, _ state: State) {
        let sway = Double(state.pose - State.poseCount / 2) / Double(State.poseCount / 2)
        func head(_ body: () -> Void) {
            pen.group {
                pen.translate(5 * sway, 24 + 1.5 * sway * sway)
                pen.rotate(degrees: 2.6 * sway)
                pen.translate(0, -24)
                body()
            }
        }
        head { drawBackHair(pen) }
        drawBody(pen, neck: { head { drawNeck(pen) } })
        head { drawHead(pen, state) }
        drawMicrophone(pen)
    }

    private func drawBackHair(_ pen: Pen) {
        switch hair {
        case .short: break
        case .curls:
            for (x, y) in [
                (-58.0, -44.0), (-64, -68), (-56, -92), (-38, -112), (-14, -122), (12, -122), (36, -113),
                (56, -92), (64, -68), (59, -44), (-54, -22), (54, -22),
            ] { pen.ellipse(x, y, 23, 23, hairColor.shaded(0.8)) }
        case .long:
            pen.fill(
                "M-2 -128 C-60 -130 -74 -84 -70 -40 C-68 0 -84 30 -76 66 C-50 78 50 78 76 66 C84 30 68 0 70 -40 C74 -84 60 -130 -2 -128 Z",
                hairColor.shaded(0.72))
        }
    }

    private func drawNeck(_ pen: Pen) {
        pen.fill("M-23 -14 L-23 40 Q0 66 23 40 L23 -14 Z", skin.shaded(0.86))
        // The shadow of the chin.
        pen.fill("M-23 2 Q0 34 23 2 L23 12 Q0 44 -23 16 Z", DrawingColor(0x000000, opacity: 0.16))
    }

    private func drawBody(_ pen: Pen, neck: () -> Void) {
        let shoulders = "M-158 190 C-160 92 -118 62 -40 40 Q0 66 40 40 C118 62 160 92 158 190 Z"
        neck()
        pen.fill(
            shoulders, .line(from: (-150, 60), to: (160, 190), shirt.shaded(1.1), shirt.shaded(0.62)))
        switch hair {
        case .long:
            pen.stroke("M-40 40 Q0 72 40 40", collar, width: 7)
        case .curls:
            pen.fill(
                "M-42 38 C-44 58 -20 70 0 70 C20 70 44 58 42 38 Q46 26 30 34 Q0 58 -30 34 Q-46 26 -42 38 Z",
                collar)
        default:
            // A shirt with an open collar.
            pen.fill("M-24 36 Q0 62 24 36 L8 100 Q0 108 -8 100 Z", skin.shaded(0.8))
            pen.fill("M-42 38 L-24 30 L-3 78 L-26 92 Z", collar)
            pen.fill("M42 38 L24 30 L3 78 L26 92 Z", collar.shaded(0.88))
            pen.stroke("M0 84 L0 190", shirt.shaded(0.5), width: 2)
        }
    }

    private func drawHead(_ pen: Pen, _ state: State) {
        for side in [-1.0, 1] {
            pen.ellipse(side * 53, -46, 9, 15, skin.shaded(side < 0 ? 0.95 : 0.8))
            pen.ellipse(side * 54, -46, 4, 9, skin.shaded(0.72))
        }
        let face =
            "M0 -116 C38 -116 54 -88 53 -52 C52 -22 38 6 22 15 C10 21 -10 21 -22 15 C-38 6 -52 -22 -53 -52 C-54 -88 -38 -116 0 -116 Z"
        pen.fill(face, .line(from: (-60, -90), to: (70, 10), skin.shaded(1.12), skin.shaded(0.8)))
        pen.ellipse(-31, -22, 13, 9, DrawingColor(0xd0604a, opacity: 0.1))
        pen.ellipse(31, -22, 13, 9, DrawingColor(0xd0604a, opacity: 0.1))
        if hasBeard {
            pen.fill(
                "M-52 -44 C-51 -18 -38 9 -22 18 C-10 24 10 24 22 18 C38 9 51 -18 52 -44 C47 -26 40 -20 30 -20 C16 -28 -16 -28 -30 -20 C-40 -20 -47 -26 -52 -44 Z",
                DrawingColor(0x3a2a21, opacity: 0.85))
        }
        // The nose with its shadow.
        pen.stroke("M3 -50 C5 -38 11 -30 7 -26 C3 -23 -4 -23 -8 -26", skin.shaded(0.62), width: 2.6)
        pen.ellipse(-2, -36, 3, 9, DrawingColor(0xffffff, opacity: 0.14))
        drawMouth(pen, state.mouth)
        drawEyes(pen, state.eyes)
        drawFrontHair(pen)
        if hasGlasses { drawGlasses(pen) }
    }

    private func drawEyes(_ pen: Pen, _ eyes: Int) {
        for side in [-1.0, 1] {
            let x = side * 20
            pen.group {
                pen.translate(x, -52)
                if eyes == 2 {
                    pen.stroke("M-10 1 Q0 6 10 1", hairColor.shaded(0.7), width: 2.6)
                } else {
                    pen.group {
                        pen.clip(
                            eyes == 0
                                ? "M-11 1 C-6 -8 6 -8 11 1 C6 6 -6 6 -11 1 Z"
                                : "M-11 1 C-6 -2 6 -2 11 1 C6 6 -6 6 -11 1 Z")
                        pen.rectangle(-12, -9, 24, 18, DrawingColor(0xf6f3ee))
                        pen.ellipse(0, -0.5, 5.4, 5.4, iris)
                        pen.ellipse(0, -0.5, 2.6, 2.6, DrawingColor(0x15110f))
                        pen.ellipse(-1.8, -2.4, 1.3, 1.3, DrawingColor(0xffffff))
                        pen.rectangle(-12, -9, 24, 5.5, DrawingColor(0x000000, opacity: 0.14))
                    }
                    pen.stroke(
                        eyes == 0 ? "M-11.5 1.5 C-6 -8.5 6 -8.5 11.5 1" : "M-11.5 1.5 C-6 -2.5 6 -2.5 11.5 1",
                        hairColor.shaded(0.55), width: 2.2)
                }
            }
            let brow = "M\(x - side * 12) -69 Q\(x + side * 1) -75 \(x + side * 13) -67"
            pen.stroke(brow, hairColor.shaded(hair == .short && hasGlasses ? 0.75 : 0.9), width: 3.8)
        }
    }

    private func drawMouth(_ pen: Pen, _ mouth: Int) {
        let lip = isDarkSkinned ? DrawingColor(0x7c3f38) : DrawingColor(0xb05a4e)
        guard mouth > 0 else {
            pen.stroke("M-17 -7 Q0 2 17 -7", lip.shaded(0.7), width: 3)
            pen.stroke("M-7 4 Q0 6 7 4", skin.shaded(0.72), width: 2)
            return
        }
        let opening = [4.0, 8, 13][(mouth - 1) / 2]
        let width = (mouth - 1) % 2 == 0 ? 11.0 : 18.0
        let (top, bottom) = (-7 - opening * 0.35, -5 + opening)
        let shape =
            "M\(-width) -6 C\(-width * 0.6) \(top - 2) \(width * 0.6) \(top - 2) \(width) -6 C\(width * 0.7) \(bottom) \(-width * 0.7) \(bottom) \(-width) -6 Z"
        pen.fill(shape, DrawingColor(0x4a1a1a))
        pen.group {
            pen.clip(shape)
            pen.rectangle(-width, top - 4, width * 2, 4 + opening * 0.32, DrawingColor(0xf2ece2))
            if opening > 5 {
                pen.ellipse(0, bottom - 1, width * 0.7, opening * 0.45, DrawingColor(0xb4554f))
            }
        }
        pen.stroke(shape, lip, width: 3)
    }

    private func drawFrontHair(_ pen: Pen) {
        let light = Pen.Fill.line(
            from: (-60, -130), to: (60, -60), hairColor.shaded(1.12), hairColor.shaded(0.75))
        switch hair {
        case .short:
            pen.fill(
                "M-56 -50 C-68 -112 -44 -140 4 -138 C48 -138 66 -110 57 -50 C54 -72 50 -86 42 -92 C20 -84 -16 -88 -32 -100 C-46 -90 -54 -76 -56 -50 Z",
                light)
        case .curls:
            for (x, y) in [
                (-50.0, -76.0), (-40, -97), (-22, -110), (0, -116), (22, -110), (40, -97), (50, -76),
                (-30, -122), (-8, -130), (14, -129), (34, -119),
            ] { pen.ellipse(x, y, 17, 16, light) }
        case .long:
            pen.fill(
                "M12 -134 C-46 -140 -68 -100 -64 -40 C-62 -20 -64 0 -60 12 C-46 -8 -50 -52 -42 -74 C-24 -78 0 -90 14 -108 C24 -88 40 -80 46 -70 C52 -50 48 -8 60 12 C64 0 62 -20 65 -40 C68 -100 52 -132 12 -134 Z",
                light)
        }
    }

    private func drawGlasses(_ pen: Pen) {
        let rim = DrawingColor(0x22252a)
        for side in [-1.0, 1] {
            let (left, right) = (side * 22 - 17, side * 22 + 17)
            pen.stroke(
                "M\(left) -62 C\(left) -66 \(right) -66 \(right) -62 C\(right + 1) -38 \(left - 1) -38 \(left) -62 Z",
                rim, width: 3)
            pen.stroke("M\(side * 39) -60 L\(side * 53) -56", rim, width: 3)
        }
        pen.stroke("M-5 -60 Q0 -64 5 -60", rim, width: 3)
    }

    private func drawMicrophone(_ pen: Pen) {
        pen.group {
            pen.translate(side * 96, 92)
            pen.rotate(degrees: side * 26)
            let metal = Pen.Fill.line(
                from: (-18, 0), to: (18, 0), DrawingColor(0x4a4f57), DrawingColor(0x1a1c20))
            pen.rectangle(-4, 0, 8, 140, metal)
            pen.fill("M-18 -44 C-18 -68 18 -68 18 -44 L18 -6 C18 14 -18 14 -18 -6 Z", metal)
            for y in [-40.0, -32, -24, -16] {
                pen.stroke("M-15 \(y) L15 \(y)", DrawingColor(0x6a717b, opacity: 0.7), width: 1.6)
            }
            pen.stroke("M-18 -6 L18 -6", DrawingColor(0xb8bcc2), width: 2.4)
        }
    }

    private var isDarkSkinned: Bool { skin.red < 0.7 }
}
