import MulticamMedia
import MulticamPlan
import MulticamProfiles
import Testing

@Suite("Positions in the program")
struct ProgramLayoutTests {
    static let hd = FrameSize(width: 1280, height: 720)
    static let fullHD = FrameSize(width: 1920, height: 1080)

    /// A layout in a program of a given size.
    private struct Places {
        let size: FrameSize
        let layout: ProgramLayout
        let style: InsetStyle

        init(
            _ size: FrameSize, _ layout: ProgramLayout, corner: InsetStyle.Corner = .bottomRight,
            scale: Double = 0.25, margin: Double = 0.02
        ) {
            self.size = size
            self.layout = layout
            style = InsetStyle(corner: corner, scale: scale, margin: margin, fit: .contain)
        }

        func rectangles(for frames: [FrameSize]) -> [PixelRectangle] {
            layout.rectangles(for: frames, in: size, style)
        }
    }

    @Test("each layout has its own name and key, and numbers of cameras that fit each other")
    func table() {
        let all = ProgramLayout.allCases
        let keys = all.compactMap(\.key)
        #expect(Set(ProgramLayout.names).count == all.count && Set(keys).count == keys.count)
        for layout in all {
            #expect(ProgramLayout(rawValue: layout.rawValue) == layout)
            let most = layout.maximumCameras ?? .max
            #expect(
                layout.minimumCameras <= min(layout.selectedCameras ?? most, layout.profileCameras ?? most))
            #expect(max(layout.selectedCameras ?? 1, layout.profileCameras ?? 1) <= most)
            #expect(layout.rectangles(for: [], in: Self.hd, InsetStyle(fit: .cover)).isEmpty)
        }
        #expect(ProgramLayout(rawValue: "circle") == nil)
    }

    private static func rectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRectangle {
        PixelRectangle(x: x, y: y, width: width, height: height)
    }

    @Test(
        "an inset of a quarter has a margin of 1/50 from its corner",
        arguments: [
            (.bottomRight, 1402, 772), (.bottomLeft, 38, 772), (.topRight, 1402, 38), (.topLeft, 38, 38),
        ] as [(corner: InsetStyle.Corner, x: Int, y: Int)])
    func corners(corner: InsetStyle.Corner, x: Int, y: Int) {
        let layout = Places(Self.fullHD, .pip, corner: corner)
        #expect(
            layout.rectangles(for: [Self.fullHD, Self.hd]) == [
                Self.rectangle(0, 0, 1920, 1080), Self.rectangle(x, y, 480, 270),
            ])
    }

    @Test("several insets are stacked from the corner on")
    func stack() {
        let bottom = Places(Self.fullHD, .pip).rectangles(for: [
            Self.fullHD, Self.hd, Self.hd,
        ])
        #expect(bottom.dropFirst().map(\.y) == [772, 464])
        #expect(bottom.dropFirst().map(\.x) == [1402, 1402])
        let top = Places(Self.fullHD, .pip, corner: .topLeft)
            .rectangles(for: [Self.fullHD, Self.hd, Self.hd])
        #expect(top.dropFirst().map(\.y) == [38, 346])
    }

    @Test("an inset has the aspect ratio of its upright frame")
    func shapes() {
        let layout = Places(Self.fullHD, .pip)
        let portrait = layout.rectangles(for: [Self.fullHD, Self.hd.transposed])[1]
        #expect(portrait.size == FrameSize(width: 480, height: 854))
        let old = layout.rectangles(for: [Self.fullHD, FrameSize(width: 640, height: 480)])[1]
        #expect(old.size == FrameSize(width: 480, height: 360))
    }

    @Test("an inset that would not fit is scaled down and keeps its aspect ratio")
    func shrunk() {
        let layout = Places(Self.fullHD, .pip, scale: 0.6)
        let inset = layout.rectangles(for: [Self.fullHD, Self.hd.transposed])[1]
        // The height is 1080 minus two margins of 38.4, which is 1003.2. The width is 9/16 of this, which is
        // 564.3.
        #expect(inset.size == FrameSize(width: 564, height: 1004))
        #expect(inset.y + inset.height <= 1080)
    }

    @Test("columns are equally wide and adjacent")
    func sideBySide() {
        let layout = Places(Self.fullHD, .sideBySide)
        #expect(
            layout.rectangles(for: [Self.hd, Self.hd]) == [
                Self.rectangle(0, 0, 960, 1080), Self.rectangle(960, 0, 960, 1080),
            ])
        let hd = Places(Self.hd, .sideBySide).rectangles(for: [Self.hd, Self.hd, Self.hd])
        #expect(hd.map(\.x) == [0, 426, 854])
        #expect(hd.map(\.width) == [426, 428, 426])
    }

    @Test(
        "a grid has as many columns as the square root of its cell count, rounded up, and its centered rows keep the program's aspect ratio"
    )
    func grid() {
        let layout = Places(Self.hd, .grid)
        #expect(
            layout.rectangles(for: Array(repeating: Self.hd, count: 4)) == [
                Self.rectangle(0, 0, 640, 360), Self.rectangle(640, 0, 640, 360),
                Self.rectangle(0, 360, 640, 360),
                Self.rectangle(640, 360, 640, 360),
            ])
        #expect(
            layout.rectangles(for: Array(repeating: Self.hd, count: 3))[2] == Self.rectangle(0, 360, 640, 360)
        )
        let two = layout.rectangles(for: [Self.hd, Self.hd])
        #expect(two == [Self.rectangle(0, 180, 640, 360), Self.rectangle(640, 180, 640, 360)])
        let five = layout.rectangles(for: Array(repeating: Self.hd, count: 5))
        #expect(five.map(\.y) == [120, 120, 120, 360, 360])
        #expect(five.map(\.height) == Array(repeating: 240, count: 5))
        #expect(layout.rectangles(for: [Self.hd]) == [Self.rectangle(0, 0, 1280, 720)])
    }

    @Test("a single camera fills the program")
    func single() {
        let layout = Places(Self.hd, .single)
        #expect(layout.rectangles(for: [Self.hd, Self.fullHD]) == [Self.rectangle(0, 0, 1280, 720)])
    }

    @Test("every rectangle of every layout is even, not empty, and inside the program")
    func always() {
        let sizes = [
            FrameSize(width: 64, height: 64), Self.hd, Self.fullHD.transposed,
            FrameSize(width: 1366, height: 766),
        ]
        let frames = [
            Self.hd, FrameSize(width: 641, height: 479), Self.hd.transposed,
            FrameSize(width: 3840, height: 96),
        ]
        for size in sizes {
            for kind in ProgramLayout.allCases {
                for (scale, margin) in [(0.05, 0.0), (0.25, 0.02), (1, 0.5), (0.333, 0.11)] {
                    for count in 1...9 {
                        let layout = Places(
                            size, kind, corner: .bottomLeft, scale: scale,
                            margin: margin)
                        let rectangles = layout.rectangles(
                            for: (0..<count).map { frames[$0 % frames.count] })
                        #expect(rectangles.count == min(count, kind.maximumCameras ?? count))
                        #expect(
                            rectangles.allSatisfy { Self.isProper($0, in: size) },
                            "\(kind.rawValue) \(size) × \(count)")
                    }
                }
            }
        }
    }

    private static func isProper(_ rectangle: PixelRectangle, in size: FrameSize) -> Bool {
        [rectangle.x, rectangle.y, rectangle.width, rectangle.height].allSatisfy { $0 % 2 == 0 && $0 >= 0 }
            && rectangle.width > 0 && rectangle.height > 0 && rectangle.x + rectangle.width <= size.width
            && rectangle.y + rectangle.height <= size.height
    }
}
