import MulticamMedia
import Testing

@Suite("Framing")
struct FramingTests {
    private static func part(
        _ frame: (Int, Int), shape: String? = nil, zoom: Zoom = .none, rotation: Rotation = .none,
        area: PixelRectangle? = nil
    ) -> PixelRectangle? {
        Framing(area: area, shape: shape.flatMap { AspectRatio($0) }, zoom: zoom).part(
            of: FrameSize(width: frame.0, height: frame.1), rotation: rotation)
    }

    @Test(
        "an aspect ratio selects the largest centered crop, and zoom crops further",
        arguments: [
            ((1920, 1080), nil, 1, nil),
            ((1920, 1080), "16:9", 1, nil),
            ((1366, 768), "16:9", 1, nil),
            ((1920, 1080), "1:1", 1, (420, 0, 1080, 1080)),
            ((1920, 1080), "9:16", 1, (656, 0, 608, 1080)),
            ((640, 480), "16:9", 1, (0, 60, 640, 360)),
            ((1920, 1080), nil, 2, (480, 270, 960, 540)),
            ((1920, 1080), "1:1", 2, (690, 270, 540, 540)),
            ((1280, 720), nil, 1.5, (214, 120, 854, 480)),
            ((16, 16), nil, 8, (7 & ~1, 7 & ~1, 2, 2)),
        ] as [((Int, Int), String?, Double, (Int, Int, Int, Int)?)])
    func cut(frame: (Int, Int), shape: String?, factor: Double, wanted: (Int, Int, Int, Int)?) {
        let part = Self.part(frame, shape: shape, zoom: Zoom(factor: factor))
        let expected = wanted.map { PixelRectangle(x: $0.0, y: $0.1, width: $0.2, height: $0.3) }
        if let part, let expected {
            // Positions are even, so the center is approximate.
            #expect(abs(part.x - expected.x) <= 2 && abs(part.y - expected.y) <= 2)
            #expect(part.size == expected.size)
            #expect(part.x % 2 == 0 && part.y % 2 == 0)
        } else {
            #expect(part == expected)
        }
    }

    @Test(
        "pan and tilt directions refer to the upright frame at any camera rotation",
        arguments: [
            (.none, 1, 0, (960, 270)), (.none, 0, 1, (480, 0)), (.none, -1, -1, (0, 540)),
            (.quarter, 1, 0, (480, 0)), (.quarter, 0, 1, (0, 270)),
            (.half, 1, 0, (0, 270)), (.half, 0, 1, (480, 540)),
            (.threeQuarters, 1, 0, (480, 540)), (.threeQuarters, 0, 1, (960, 270)),
        ] as [(Rotation, Double, Double, (Int, Int))])
    func moves(rotation: Rotation, pan: Double, tilt: Double, corner: (Int, Int)) {
        let part = Self.part(
            (1920, 1080), zoom: Zoom(factor: 2, pan: pan, tilt: tilt), rotation: rotation)
        #expect(part == PixelRectangle(x: corner.0, y: corner.1, width: 960, height: 540))
    }

    @Test("the aspect ratio refers to the upright frame")
    func turnedShape() {
        #expect(
            Self.part((1920, 1080), shape: "1:1", rotation: .quarter)
                == PixelRectangle(x: 420, y: 0, width: 1080, height: 1080))
        #expect(Self.part((1920, 1080), shape: "9:16", rotation: .quarter) == nil)
    }

    @Test("for any framing, the part has even coordinates and stays inside the frame")
    func stays() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let size = FrameSize(
                width: .random(in: 2...400, using: &generator),
                height: .random(in: 2...400, using: &generator))
            let zoom = Zoom(
                factor: .random(in: Zoom.factors), pan: .random(in: Zoom.positions),
                tilt: .random(in: Zoom.positions))
            let rotation = try #require(Rotation.allCases.randomElement())
            let shape = AspectRatio(
                FrameSize(width: .random(in: 1...20), height: .random(in: 1...20)))
            let framing = Framing(shape: shape, zoom: zoom)
            guard let part = framing.part(of: size, rotation: rotation) else { continue }
            #expect(part.x >= 0 && part.y >= 0 && part.width >= 1 && part.height >= 1, "\(framing) \(size)")
            #expect(
                part.x + part.width <= size.width && part.y + part.height <= size.height, "\(framing) \(size)"
            )
            #expect(part.x % 2 == 0 && part.y % 2 == 0, "\(framing) \(size)")
        }
    }

    @Test("pan and tilt are available only if the upright frame is cropped in that direction")
    func room() {
        let size = FrameSize(width: 1920, height: 1080)
        #expect(!Framing.whole.canPan(in: size, rotation: .none))
        let square = Framing(shape: AspectRatio("1:1"))
        #expect(square.canPan(in: size, rotation: .none) && !square.canTilt(in: size, rotation: .none))
        #expect(!square.canPan(in: size, rotation: .quarter) && square.canTilt(in: size, rotation: .quarter))
        let near = Framing(zoom: Zoom(factor: 1.2))
        #expect(near.canPan(in: size, rotation: .none) && near.canTilt(in: size, rotation: .none))
    }

    @Test(
        "an invalid or extreme aspect ratio is rejected",
        arguments: ["", "16", "16:", ":9", "16:9:1", "16x9", "0:1", "1:-1", "+1:1", "1.5:1", "11:1", "1:11"])
    func noShape(text: String) {
        #expect(AspectRatio(text) == nil)
    }
}
