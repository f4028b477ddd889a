import MulticamMedia
import Testing

@testable import MulticamEncoding

@Suite("Slates")
struct SlateTests {
    /// The area covered by text, and the number of its pixels.
    private struct Ink {
        var columns: ClosedRange<Int>
        var rows: ClosedRange<Int>
        var count: Int
    }

    private func slate(_ caption: SlateCaption?, _ width: Int, _ height: Int) -> Canvas {
        let canvas = Canvas(width, height)
        canvas.planes.paintSlate(caption, in: .jpeg)
        return canvas
    }

    /// Only text has nearly white pixels.
    private func ink(_ canvas: Canvas) -> Ink? {
        var ink: Ink?
        for y in 0..<canvas.size.height {
            for x in 0..<canvas.size.width where canvas.luma(x, y) > 190 {
                let last = ink ?? Ink(columns: x...x, rows: y...y, count: 0)
                ink = Ink(
                    columns: min(last.columns.lowerBound, x)...max(last.columns.upperBound, x),
                    rows: min(last.rows.lowerBound, y)...max(last.rows.upperBound, y), count: last.count + 1)
            }
        }
        return ink
    }

    @Test(
        "a slate shows the camera's name in the middle with a margin of a tenth, at every size",
        arguments: [(320, 180), (640, 480), (1080, 1920), (1920, 1080), (3840, 2160)])
    func words(width: Int, height: Int) throws {
        let canvas = slate(SlateCaption(role: "desk", device: "Studio Webcam"), width, height)
        let ink = try #require(self.ink(canvas))
        let margin = min(width, height) / 10
        #expect(ink.columns.lowerBound >= margin && ink.columns.upperBound < width - margin)
        #expect(ink.rows.lowerBound >= margin && ink.rows.upperBound < height - margin)
        let offset = ink.columns.lowerBound + ink.columns.upperBound - width
        #expect(abs(offset) <= width / 50)
        // The text covers at least as many pixels as the strokes of letters of that height.
        #expect(ink.count > min(width, height) * min(width, height) / 80)
        #expect(ink.count < width * height / 4)
        #expect(canvas[1, 1] == [89, 128, 128] && canvas[width / 2, height / 6] == [128, 128, 128])
    }

    @Test("text is readable after a player has rotated the frame", arguments: Rotation.allCases)
    func rotation(rotation: Rotation) {
        let (width, height) = (320, 180)
        let upright = slate(SlateCaption(role: "desk", device: "Studio Webcam"), width, height)
        let caption = SlateCaption(role: "desk", device: "Studio Webcam", rotation: rotation)
        let stored = rotation.swapsSides ? slate(caption, height, width) : slate(caption, width, height)
        let seen = Canvas(width, height)
        stored.planes.rotate(rotation, into: seen.planes)
        // Hinting applies only to upright letters, so edges may be half a pixel off.
        #expect(largestDifference(seen, upright) < 64)
        let unturned = slate(SlateCaption(role: "", device: ""), width, height)
        #expect(largestDifference(unturned, upright) > 96)
    }

    /// Returns the largest difference between the means of 8 × 8 pixel blocks.
    private func largestDifference(_ one: Canvas, _ other: Canvas) -> Int {
        var largest = 0
        for top in stride(from: 0, to: one.size.height - 7, by: 8) {
            for left in stride(from: 0, to: one.size.width - 7, by: 8) {
                var sum = 0
                for y in top..<top + 8 {
                    for x in left..<left + 8 { sum += one.luma(x, y) - other.luma(x, y) }
                }
                largest = max(largest, abs(sum) / 64)
            }
        }
        return largest
    }

    @Test(
        "every script with an available font is rendered, and missing glyphs are harmless",
        arguments: ["é ü ø", "Кириллица", "Ελληνικά", "日本語", "العربية", "🎥", "\u{10FFFD}"])
    func scripts(role: String) throws {
        let canvas = slate(SlateCaption(role: role, device: ""), 320, 180)
        #expect(try #require(ink(canvas)).count > 100)
    }

    @Test("names of any length and content fit into the panel")
    func longNames() throws {
        let harmful = String(repeating: "name\u{7}\n\u{1B}[31m\u{202E}e\u{301}\u{301}", count: 300)
        #expect(harmful.utf8.count > 4096)
        for (width, height) in [(320, 180), (180, 320), (1280, 720)] {
            let ink = try #require(
                self.ink(slate(SlateCaption(role: harmful, device: harmful), width, height)))
            let margin = min(width, height) / 10
            #expect(ink.columns.lowerBound >= margin && ink.columns.upperBound < width - margin)
            #expect(ink.rows.lowerBound >= margin && ink.rows.upperBound < height - margin)
        }
        let caption = SlateCaption(role: harmful, device: harmful)
        #expect(!caption.role.contains("\u{1B}") && !caption.device.contains("\n"))
    }

    @Test("slates without names still state the problem; slates too small for text show bars")
    func noNames() throws {
        let nameless = slate(SlateCaption(role: "", device: " "), 320, 180)
        let hasWords = nameless.allBytes != slate(nil, 320, 180).allBytes
        #expect(hasWords && nameless.luma(160, 76) < 64)
        let caption = SlateCaption(role: "desk", device: "Studio Webcam")
        #expect(slate(caption, 24, 16).allBytes == slate(nil, 24, 16).allBytes)
        #expect(slate(caption, 640, 16).allBytes == slate(nil, 640, 16).allBytes)
    }

    @Test("concurrent threads draw identical slates")
    func threads() async {
        let wanted = slate(SlateCaption(role: "desk", device: "Кириллица"), 320, 180).allBytes
        let count = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    slate(SlateCaption(role: "desk", device: "Кириллица"), 320, 180).allBytes == wanted
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 16)
    }

    @Test("a program draws a slate only once, even if the layer below changes")
    func drawnOnce() throws {
        let canvas = Canvas(640, 360)
        let compositor = Compositor(color: .bt709Limited)
        let caption = SlateCaption(role: "face", device: "Studio Webcam")
        func layers(_ main: CapturedFrame, _ caption: SlateCaption) -> [FrameLayer] {
            let whole = PixelRectangle(x: 0, y: 0, width: 640, height: 360)
            let inset = PixelRectangle(x: 320, y: 180, width: 320, height: 180)
            return [
                FrameLayer(frame: main, LayerShape(whole)),
                FrameLayer(frame: nil, LayerShape(inset), caption: caption),
            ]
        }
        compositor.compose(
            layers(try TestFrames.plain(640, 360, [90, 128, 128]), caption), onto: canvas.planes)
        let first = canvas.allBytes
        let drawn = try #require(compositor.slate(ofLayer: 1))
        for _ in 0..<3 {
            let next = try TestFrames.plain(640, 360, [90, 128, 128])
            compositor.compose(layers(next, caption), onto: canvas.planes)
            #expect(compositor.slate(ofLayer: 1) === drawn)
            let isSame = canvas.allBytes == first
            #expect(isSame)
        }
        let other = SlateCaption(role: "guest", device: "")
        let moved = layers(try TestFrames.plain(640, 360, [90, 128, 128]), other)
        #expect(!compositor.shows(moved))
        compositor.compose(moved, onto: canvas.planes)
        let isOther = canvas.allBytes != first
        #expect(isOther && compositor.shows(moved))
    }

    @Test("slates in a limited-range track are limited range")
    func range() {
        let canvas = Canvas(320, 180)
        canvas.planes.paintSlate(SlateCaption(role: "desk", device: ""), in: .bt709Limited)
        let luma = (0..<180).flatMap { y in (0..<320).map { x in canvas.luma(x, y) } }
        #expect(luma.allSatisfy { (16...235).contains($0) } && luma.contains(235))
    }

    @Test(
        "ffprobe reports the camera's size and chroma subsampling for slates of a JPEG track",
        arguments: [(ChromaSampling.c420, "yuvj420p"), (.c422, "yuvj422p"), (.c444, "yuvj444p")])
    func probed(chroma: ChromaSampling, name: String) throws {
        let camera = try TestFrames.jpeg(160, 90, chroma: chroma) { x, _ in [x, 128, 128] }
        let slate = try Codecs().makeSlate(
            like: camera, caption: SlateCaption(role: "desk", device: "Studio Webcam"))
        let bench = try Workbench()
        let file = try bench.write(slate.array, "slate.jpg")
        let entries = "stream=codec_name,width,height,pix_fmt"
        let output = try bench.run(
            "ffprobe", ["-v", "error", "-show_entries", entries, "-of", "csv=p=0", file])
        #expect(String(decoding: output, as: UTF8.self) == "mjpeg,160,90,\(name)\n")
    }
}
