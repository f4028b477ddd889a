import MulticamMedia
import Testing

@testable import MulticamEncoding

@Suite("Compositor")
struct CompositorTests {
    private let white = [255, 128, 128]
    private let black = [0, 128, 128]

    /// Four quarters of solid color, which are light gray, reddish, greenish, and dark, clockwise from the
    /// top left.
    private func quarters(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> [Int] {
        switch (x < width / 2, y < height / 2) {
        case (true, true): [220, 128, 128]
        case (false, true): [100, 100, 200]
        case (false, false): [140, 60, 60]
        case (true, false): [40, 180, 128]
        }
    }

    private func compose(_ layers: [FrameLayer], _ width: Int = 64, _ height: Int = 48) -> (
        Canvas, Compositor
    ) {
        let canvas = Canvas(width, height)
        let compositor = Compositor(color: .jpeg)
        compositor.compose(layers, onto: canvas.planes)
        return (canvas, compositor)
    }

    @Test(
        "all raw formats result in the same picture",
        arguments: [PixelFormat.i420, .i422, .nv12, .yuyv, .uyvy, .converted])
    func rawFormats(pixel: PixelFormat) {
        let frame = TestFrames.raw(pixel, 64, 48) { quarters($0, $1, 64, 48) }
        let (canvas, _) = compose([FrameLayer(frame, at: 0, 0, 64, 48)])
        for y in 0..<48 { for x in 0..<64 { #expect(canvas[x, y] == quarters(x, y, 64, 48)) } }
        let (small, compositor) = compose([FrameLayer(frame, at: 16, 12, 32, 24)])
        for (x, y) in [(20, 16), (44, 16), (44, 32), (20, 32)] {
            #expect(distance(small[x, y], quarters((x - 16) * 2, (y - 12) * 2, 64, 48)) <= 1)
        }
        #expect(small[15, 11] == black && compositor.damagedLayers == [])
    }

    @Test("a grayscale frame shows its luma without color: whole, scaled and cropped")
    func grey() {
        let frame = TestFrames.raw(.grey, 64, 48) { x, _ in [x < 32 ? 40 : 200] }
        let (canvas, _) = compose([FrameLayer(frame, at: 0, 0, 64, 48)])
        #expect(canvas[0, 0] == [40, 128, 128] && canvas[63, 47] == [200, 128, 128])
        let crop = PixelRectangle(x: 32, y: 0, width: 32, height: 24)
        let (part, compositor) = compose([FrameLayer(frame, at: 0, 0, 64, 48, crop: crop)])
        #expect(part[0, 0] == [200, 128, 128] && part[63, 47] == [200, 128, 128])
        #expect(compositor.damagedLayers == [])
    }

    @Test("a BGRA frame is converted, and its crop starts at the requested position")
    func bgra() {
        let frame = TestFrames.raw(.bgra, 64, 48) { x, _ in x < 32 ? [0, 0, 0] : [0, 0, 255] }
        let crop = PixelRectangle(x: 32, y: 0, width: 32, height: 48)
        let (canvas, _) = compose([FrameLayer(frame, at: 0, 0, 32, 48, crop: crop)])
        let red = TestFrames.codes([1, 0, 0], .jpeg)
        #expect(distance(canvas[2, 20], red) <= 2)
        #expect(distance(canvas[31, 47], red) <= 2)
    }

    @Test(
        "JPEGs of every chroma subsampling are correct at every decoding scale",
        arguments: [ChromaSampling.c420, .c422, .c444], [64, 48, 32, 24, 16, 8, 96])
    func jpegs(chroma: ChromaSampling, width: Int) throws {
        let frame = try TestFrames.jpeg(64, 48, chroma: chroma) { quarters($0, $1, 64, 48) }
        let height = width * 3 / 4 & ~1
        let (canvas, compositor) = compose([FrameLayer(frame, at: 0, 0, width, height)], 96, 72)
        #expect(compositor.damagedLayers == [])
        for (x, y) in [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)] {
            #expect(distance(canvas[x, y], quarters(x, y, width, height)) <= 4, "\(x), \(y)")
        }
        if width < 96 { #expect(canvas[width, 0] == black) }
    }

    @Test(
        "rotation is clockwise, and mirroring applies after rotation",
        arguments: [
            (.none, false, [0, 1, 2, 3]), (.quarter, false, [3, 0, 1, 2]), (.half, false, [2, 3, 0, 1]),
            (.threeQuarters, false, [1, 2, 3, 0]), (.none, true, [1, 0, 3, 2]),
            (.quarter, true, [0, 3, 2, 1]),
        ] as [(Rotation, Bool, [Int])])
    func turns(rotation: Rotation, isMirrored: Bool, corners: [Int]) throws {
        let frame = try TestFrames.jpeg(64, 48) { quarters($0, $1, 64, 48) }
        let (width, height) = rotation.swapsSides ? (48, 64) : (64, 48)
        let (canvas, _) = compose(
            [FrameLayer(frame, at: 0, 0, width, height, rotation: rotation, isMirrored: isMirrored)], 64,
            64)
        let seen = [(4, 4), (width - 5, 4), (width - 5, height - 5), (4, height - 5)]
        let stored = [(0, 0), (63, 0), (63, 47), (0, 47)]
        for (place, corner) in zip(seen, corners) {
            let wanted = quarters(stored[corner].0, stored[corner].1, 64, 48)
            #expect(distance(canvas[place.0, place.1], wanted) <= 4, "\(place)")
        }
    }

    @Test(
        "enlarging keeps luma and chroma in position",
        arguments: [(96, 72), (64, 48), (80, 60), (34, 26), (96, 26), (24, 72), (640, 480)])
    func enlarging(width: Int, height: Int) {
        // The frame has horizontal ramps in luma and Cb, and a vertical ramp in Cr.
        let frame = TestFrames.raw(.i420, 32, 24) { x, y in [8 * x, 8 * (x / 2) + 20, 8 * (y / 2) + 20] }
        let canvas = Canvas(width, height)
        let everything = PixelRectangle(x: 0, y: 0, width: 32, height: 24)
        #expect(FramePainter().paint(frame, everything, into: canvas.planes))
        func place(_ target: Int, _ from: Int, _ to: Int) -> Double {
            min(
                max((Double(target) + 0.5) * Double(from) / Double(to) - 0.5, 0), Double(from - 1))
        }
        var worst = 0.0
        for y in 0..<height {
            for x in 0..<width {
                let exact = [
                    8 * place(x, 32, width), 8 * place(x / 2, 16, width / 2) + 20,
                    8 * place(y / 2, 12, height / 2) + 20,
                ]
                for (code, wanted) in zip(canvas[x, y], exact) {
                    worst = max(worst, abs(Double(code) - wanted))
                }
            }
        }
        #expect(worst <= 1.1)
    }

    @Test(
        "a crop of a JPEG starts at the requested position, at any scale",
        arguments: [2, 34, 50, 106], [(216, 360), (108, 180), (54, 90), (36, 60), (18, 30)])
    func cropOfJPEG(left: Int, size: (width: Int, height: Int)) throws {
        // White starts in the middle of the crop.
        let frame = try TestFrames.jpeg(320, 180) { x, _ in [x < left + 54 ? 20 : 220, 128, 128] }
        let crop = PixelRectangle(x: left, y: 0, width: 108, height: 180)
        let canvas = Canvas(size.width, size.height)
        #expect(FramePainter().paint(frame, crop, into: canvas.planes))
        let first = try #require((0..<size.width).first { canvas.luma($0, size.height / 2) >= 120 })
        #expect(abs(first - size.width / 2) <= 1)
    }

    @Test("contain leaves black bars, cover crops the edges")
    func fit() throws {
        let frame = try TestFrames.jpeg(64, 48) { x, _ in
            x < 16 || x >= 48 ? [250, 128, 128] : [90, 128, 128]
        }
        let (fitted, _) = compose([FrameLayer(frame, at: 0, 0, 64, 24)])
        #expect(fitted[15, 0] == black && fitted[48, 23] == black)
        #expect(distance(fitted[17, 2], [250, 128, 128]) <= 4)
        let (filled, _) = compose([FrameLayer(frame, at: 0, 0, 24, 48, fit: .cover)])
        for x in [0, 12, 23] { #expect(distance(filled[x, 10], [90, 128, 128]) <= 8) }
        #expect(filled[24, 10] == black)
    }

    @Test("a border is white, inside the rectangle, and has the requested width")
    func borders() throws {
        let frame = try TestFrames.plain(64, 48, [90, 128, 128])
        let (canvas, _) = compose([FrameLayer(frame, at: 8, 8, 40, 32, fit: .cover, border: 4)])
        #expect(
            canvas[7, 20] == black && canvas[20, 7] == black && canvas[48, 20] == black
                && canvas[20, 40] == black)
        for (x, y) in [(8, 8), (11, 20), (44, 20), (47, 39), (20, 11), (20, 36)] {
            #expect(canvas[x, y] == white)
        }
        for (x, y) in [(12, 12), (43, 35)] { #expect(distance(canvas[x, y], [90, 128, 128]) <= 2) }
    }

    @Test("an inset covers exactly its rectangle")
    func insets() throws {
        let main = try TestFrames.plain(64, 48, [200, 128, 128])
        let inset = try TestFrames.plain(64, 48, [60, 90, 150])
        let (canvas, _) = compose([
            FrameLayer(main, at: 0, 0, 64, 48), FrameLayer(inset, at: 40, 28, 16, 12),
        ])
        for y in 0..<48 {
            for x in 0..<64 {
                let isInside = (40..<56).contains(x) && (28..<40).contains(y)
                #expect(
                    distance(canvas[x, y], isInside ? [60, 90, 150] : [200, 128, 128]) <= 2, "\(x), \(y)")
            }
        }
    }

    @Test(
        "a damaged JPEG leaves the picture unchanged, both as background and as inset", arguments: [0, 1],
        [0.3, 0.75])
    func damaged(index: Int, share: Double) throws {
        let main = try TestFrames.jpeg(64, 48) { quarters($0, $1, 64, 48) }
        let inset = try TestFrames.jpeg(64, 48) { x, y in [(x * 3 + y) % 250, 90, 150] }
        let (canvas, compositor) = compose(layers(main, inset))
        let before = canvas.allBytes
        let broken = TestFrames.truncated(index == 0 ? main : inset, keeping: share)
        // The other layer gets a new frame with the same content, so that both layers are painted again.
        let next =
            index == 0
            ? layers(broken, TestFrames.jpeg(inset.memory, 64, 48))
            : layers(TestFrames.jpeg(main.memory, 64, 48), broken)
        compositor.compose(next, onto: canvas.planes)
        let isUnchanged = canvas.allBytes == before
        #expect(isUnchanged)
        #expect(compositor.damagedLayers == [index])
        #expect(compositor.shows(next))
        compositor.compose(layers(main, inset), onto: canvas.planes)
        #expect(compositor.damagedLayers == [])
    }

    private func layers(_ main: CapturedFrame?, _ inset: CapturedFrame?) -> [FrameLayer] {
        [FrameLayer(main, at: 0, 0, 64, 48), FrameLayer(inset, at: 32, 24, 24, 18)]
    }

    @Test("unreadable frames count as damaged, regardless of their metadata")
    func rubbish() throws {
        let size = FrameSize(width: 64, height: 48)
        let good = try TestFrames.plain(64, 48, [200, 128, 128])
        let frames = [
            TestFrames.jpeg(SharedBytes([1, 2, 3]), 64, 48), TestFrames.jpeg(good.memory, 32, 48),
            TestFrames.jpeg(SharedBytes(count: 0), 64, 48),
            CapturedFrame(
                pixel: .yuyv, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: 0), sequence: 0,
                memory: SharedBytes(count: 64 * 48 * 2 - 1), planes: FramePlane.packed(.yuyv, size).planes),
            CapturedFrame(
                pixel: .i420, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: 0), sequence: 0,
                memory: SharedBytes(count: 10_000), planes: []),
            CapturedFrame(
                pixel: .h264, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: 0), sequence: 0,
                memory: SharedBytes(count: 100)),
        ]
        let (canvas, compositor) = compose(frames.map { FrameLayer($0, at: 0, 0, 64, 48) })
        #expect(compositor.damagedLayers == Array(frames.indices))
        #expect(canvas.luma(32, 6) == 128)
    }

    @Test("a slate is painted once, and a frame replaces it")
    func slates() throws {
        let frame = try TestFrames.plain(64, 48, [200, 128, 128])
        let (canvas, compositor) = compose(layers(frame, nil))
        #expect(canvas.luma(40, 28) == 128 && canvas.luma(32, 30) == 89)
        #expect(compositor.shows(layers(frame, nil)) && !compositor.shows(layers(frame, frame)))
        compositor.compose(layers(nil, frame), onto: canvas.planes)
        #expect(distance(canvas[33, 25], [200, 128, 128]) <= 2)
        #expect(canvas.luma(10, 8) == 128)
    }

    @Test("incremental composition gives the same result as composing from scratch")
    func incremental() throws {
        let frames = try (0..<6).map { seed in
            try TestFrames.jpeg(64, 48) { x, y in
                [(x * 3 + y * seed * 5 + seed * 40) % 256, 90 + seed * 10, 128]
            }
        }
        let canvas = Canvas(64, 48)
        let compositor = Compositor(color: .bt709Limited)
        var shown: [CapturedFrame?] = [frames[0], frames[1], frames[2], nil]
        var random = SystemRandomNumberGenerator()
        for round in 0..<60 {
            // Change none, one, or two of the layers.
            for _ in 0..<(round % 3) {
                shown[Int.random(in: 0..<4, using: &random)] = frames.randomElement(using: &random)
            }
            let layers = [
                FrameLayer(shown[0], at: 0, 0, 64, 48), FrameLayer(shown[1], at: 32, 4, 24, 18),
                // This inset partly overlaps the previous one.
                FrameLayer(shown[2], at: 40, 14, 20, 14, border: 2),
                FrameLayer(shown[3], at: 2, 30, 20, 16),
            ]
            compositor.compose(layers, onto: canvas.planes)
            let fresh = Canvas(64, 48)
            Compositor(color: .bt709Limited).compose(layers, onto: fresh.planes)
            #expect(canvas.allBytes == fresh.allBytes, "round \(round)")
        }
    }

    @Test(
        "a frame decoded once for several outputs looks the same as one decoded separately",
        arguments: [
            ChromaSampling.c422, .c420, .c444,
        ])
    func shared(chroma: ChromaSampling) throws {
        let frame = try TestFrames.jpeg(64, 48, chroma: chroma) { quarters($0, $1, 64, 48) }
        let forAll = frame.sharingDecoding()
        let (alone, _) = compose([FrameLayer(frame, at: 0, 0, 64, 48)])
        for _ in 0..<2 {
            let (canvas, compositor) = compose([FrameLayer(forAll, at: 0, 0, 64, 48)])
            #expect(canvas.allBytes == alone.allBytes && compositor.damagedLayers == [])
        }
        // The outcome is already known.
        let outcome = forAll.sharedDecoding?.outcome { .damaged }
        let wasDecoded = if case .decoded = outcome { true } else { false }
        #expect(wasDecoded == (chroma != .c444), "4:4:4 is decoded by each")
    }

    @Test("a damaged frame counts as damaged for all outputs that share it")
    func sharedDamage() throws {
        let whole = try TestFrames.jpeg(64, 48) { quarters($0, $1, 64, 48) }
        let bytes = Array(whole.memory.bytes)
        let damaged = CapturedFrame(
            pixel: .mjpeg, size: whole.size, color: .jpeg, capturedAt: whole.capturedAt, sequence: 0,
            memory: SharedBytes(bytes.prefix(bytes.count / 2)), isOwned: true
        ).sharingDecoding()
        for _ in 0..<2 {
            let (_, compositor) = compose([FrameLayer(damaged, at: 0, 0, 64, 48)])
            #expect(compositor.damagedLayers == [0])
        }
    }

    @Test("a new layout leaves no remains of the previous one")
    func layouts() throws {
        let frame = try TestFrames.plain(64, 48, [200, 128, 128])
        let (canvas, compositor) = compose([FrameLayer(frame, at: 0, 0, 64, 48)])
        compositor.compose([FrameLayer(frame, at: 16, 12, 32, 24)], onto: canvas.planes)
        for (x, y) in [(0, 0), (15, 20), (48, 20), (20, 36)] { #expect(canvas[x, y] == black) }
        compositor.compose([], onto: canvas.planes)
        #expect(canvas[30, 20] == black)
    }

    @Test("a frame with a different aspect ratio gets its own bars")
    func shapes() throws {
        let wide = try TestFrames.plain(64, 32, [200, 128, 128])
        let high = try TestFrames.plain(32, 64, [200, 128, 128])
        let (canvas, compositor) = compose([FrameLayer(wide, at: 0, 0, 64, 48)])
        #expect(canvas[2, 20] != black && canvas[30, 2] == black)
        compositor.compose([FrameLayer(high, at: 0, 0, 64, 48)], onto: canvas.planes)
        #expect(canvas[2, 20] == black && canvas[30, 2] != black)
    }

    @Test("the compositor doesn't retain a frame that it shows")
    func notHeld() {
        var frame: CapturedFrame? = TestFrames.raw(.i420, 64, 48) { _, _ in [1, 2, 3] }
        weak let held = frame
        let (_, compositor) = compose([FrameLayer(frame, at: 0, 0, 64, 48)])
        frame = nil
        #expect(held == nil)
        // A new frame is detected even if it has the same address.
        #expect(
            !compositor.shows([
                FrameLayer(TestFrames.raw(.i420, 64, 48) { _, _ in [1, 2, 3] }, at: 0, 0, 64, 48)
            ]))
    }
}
