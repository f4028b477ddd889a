import Glibc
import MulticamMedia

/// The room behind a drawn person, out of focus. The origin of the coordinates is the center of the lower edge.
enum Room {
    /// Draws the room of a person.
    ///
    /// - Parameters:
    ///   - person: Number of the person, from 1 to `Conversation.maxPeople`.
    ///   - pen: The pen to draw with.
    ///   - width: Width of the view in units.
    ///   - height: Height of the view in units; 360 for a view in landscape format.
    static func draw(_ person: Int, with pen: Pen, width: Double, height: Double) {
        let (left, top) = (-width / 2, -height)
        func wall(_ upper: UInt32, _ lower: UInt32) {
            pen.rectangle(
                left, top, width, height,
                .line(from: (left, top), to: (-left, 0), DrawingColor(upper), DrawingColor(lower)))
        }
        switch person {
        case 1:
            wall(0x2f4d5c, 0x1a2b36)
            for column in Swift.stride(from: left - 20, to: -left, by: 58) {
                pen.rectangle(column, top, 5, height, DrawingColor(0x16252f, opacity: 0.55))
            }
            glow(pen, -215, -268, 190, 0xffd894, 0.8)
            pen.fill("M-246 -236 L-232 -306 L-198 -306 L-184 -236 Z", DrawingColor(0xfff0cc))
            pen.rectangle(-218, -236, 6, 120, DrawingColor(0x2a2420))
            plant(pen, 236, -6, 1.25)
        case 2:
            wall(0x7a5848, 0x402c25)
            shelf(pen, -300, -232, 0)
            shelf(pen, -300, -128, 5)
            pen.rectangle(150, -312, 140, 112, DrawingColor(0xe6dccb))
            pen.rectangle(160, -302, 120, 92, DrawingColor(0x9cbccb))
            pen.fill("M160 -210 L200 -268 L228 -232 L250 -276 L280 -210 Z", DrawingColor(0x587a62))
            glow(pen, 60, -392, 260, 0xffe0b0, 0.35)
        case 3:
            wall(0xa9b4ba, 0x6c777f)
            // A window with a view of the city.
            pen.rectangle(-292, -330, 236, 236, DrawingColor(0xf0f4f6))
            pen.rectangle(
                -284, -322, 220, 220,
                .line(from: (0, -322), to: (0, -102), DrawingColor(0x8fc3ea), DrawingColor(0xf4e3c8)))
            for (index, roof) in [150.0, 190, 120, 176, 140, 200].enumerated() {
                pen.rectangle(
                    -284 + Double(index) * 37, -102 - roof * 0.55, 34, roof * 0.55,
                    DrawingColor(index % 2 == 0 ? 0x6f8799 : 0x8297a6))
            }
            pen.rectangle(-178, -330, 8, 236, DrawingColor(0xf0f4f6))
            pen.fill("M-330 -350 L-262 -350 Q-276 -200 -258 -60 L-330 -60 Z", DrawingColor(0xd8cfc0))
            plant(pen, 214, 0, 1.5)
            glow(pen, -174, -220, 260, 0xfff6e0, 0.35)
        default:
            wall(0x35324e, 0x1c1a2c)
            glow(pen, 214, -300, 230, 0xff5fa2, 0.5)
            glow(pen, -226, -120, 230, 0x3fb7ff, 0.5)
            pen.rectangle(-318, -196, 170, 8, DrawingColor(0x14121f))
            for (index, color) in [0xe2a03f, 0x4fb0a5, 0xd05f5f, 0xb8b2d8].enumerated() {
                pen.rectangle(
                    -306 + Double(index) * 38, -196 - 34 - Double(index % 3) * 12, 28,
                    34 + Double(index % 3) * 12, DrawingColor(UInt32(color)))
            }
            pen.rectangle(160, -316, 130, 130, DrawingColor(0x12101c))
            pen.ellipse(225, -251, 54, 54, DrawingColor(0xff8fc0, opacity: 0.85))
            pen.ellipse(225, -251, 42, 42, DrawingColor(0x1e1a30))
        }
        // The corners are darker.
        pen.rectangle(
            left, top, width, height,
            .glow(
                center: (0, -height / 2), radius: hypot(width, height) * 0.56,
                DrawingColor(0x000000, opacity: 0), DrawingColor(0x000000, opacity: 0.42)))
    }

    private static func glow(
        _ pen: Pen, _ x: Double, _ y: Double, _ radius: Double, _ color: UInt32, _ strength: Double
    ) {
        pen.ellipse(
            x, y, radius, radius,
            .glow(
                center: (x, y), radius: radius, DrawingColor(color, opacity: strength),
                DrawingColor(color, opacity: 0)))
    }

    private static func plant(_ pen: Pen, _ x: Double, _ y: Double, _ scale: Double) {
        pen.group {
            pen.translate(x, y)
            pen.scale(scale)
            for (leaf, color) in [
                ("M0 -50 C-70 -70 -84 -120 -80 -150 C-40 -130 -10 -100 0 -50 Z", 0x2f6b45),
                ("M0 -50 C-30 -110 -34 -160 -8 -196 C20 -150 20 -100 0 -50 Z", 0x4b8d5c),
                ("M0 -50 C20 -100 50 -130 84 -140 C80 -100 50 -66 0 -50 Z", 0x3a7a4e),
                ("M0 -50 C-50 -50 -70 -64 -92 -90 C-50 -96 -20 -80 0 -50 Z", 0x4b8d5c),
            ] { pen.fill(leaf, DrawingColor(UInt32(color))) }
            pen.fill("M-32 -56 L32 -56 L24 0 L-24 0 Z", DrawingColor(0xa9714f))
        }
    }

    private static func shelf(_ pen: Pen, _ x: Double, _ y: Double, _ first: Int) {
        let books = [
            (16.0, 62.0, 0xa5483b), (13, 52, 0x3f6f78), (18, 70, 0xc9a24a), (14, 56, 0x5c4a78),
            (16, 66, 0x7a8f4a),
            (12, 48, 0xb0653a), (18, 64, 0x41618c), (15, 58, 0x8c4a5f), (16, 50, 0xd8c9a8),
            (14, 68, 0x2f5a50),
        ]
        var place = x + 8
        for index in books.indices {
            let (width, height, color) = books[(index + first) % books.count]
            pen.rectangle(place, y - height, width, height, DrawingColor(UInt32(color)))
            place += width + 1.5
        }
        pen.rectangle(x, y, 184, 9, DrawingColor(0x2b1e18))
    }
}
