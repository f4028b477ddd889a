import Media
import Plan
import Profiles
import Testing

@Suite("Places in the program")
struct ProgramLayoutTests {
    static let hd = FrameSize(width: 1280, height: 720)
    static let fullHD = FrameSize(width: 1920, height: 1080)

    private static func rectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRectangle {
        PixelRectangle(x: x, y: y, width: width, height: height)
    }

    @Test(
        "an inset of a quarter stands a fiftieth from its corner",
        arguments: [
            (.bottomRight, 1402, 772), (.bottomLeft, 38, 772), (.topRight, 1402, 38), (.topLeft, 38, 38),
        ] as [(corner: ProgramSettings.Corner, x: Int, y: Int)])
    func corners(corner: ProgramSettings.Corner, x: Int, y: Int) {
        let layout = ProgramLayout(size: Self.fullHD, kind: .pip, corner: corner)
        #expect(
            layout.rectangles(for: [Self.fullHD, Self.hd]) == [
                Self.rectangle(0, 0, 1920, 1080), Self.rectangle(x, y, 480, 270),
            ])
    }

    @Test("several insets stand over each other from the corner on")
    func stack() {
        let bottom = ProgramLayout(size: Self.fullHD, kind: .pip).rectangles(for: [
            Self.fullHD, Self.hd, Self.hd,
        ])
        #expect(bottom.dropFirst().map(\.y) == [772, 464])
        #expect(bottom.dropFirst().map(\.x) == [1402, 1402])
        let top = ProgramLayout(size: Self.fullHD, kind: .pip, corner: .topLeft)
            .rectangles(for: [Self.fullHD, Self.hd, Self.hd])
        #expect(top.dropFirst().map(\.y) == [38, 346])
    }

    @Test("an inset has the shape of its upright frame")
    func shapes() {
        let layout = ProgramLayout(size: Self.fullHD, kind: .pip)
        let portrait = layout.rectangles(for: [Self.fullHD, Self.hd.turned])[1]
        #expect(portrait.size == FrameSize(width: 480, height: 854))
        let old = layout.rectangles(for: [Self.fullHD, FrameSize(width: 640, height: 480)])[1]
        #expect(old.size == FrameSize(width: 480, height: 360))
    }

    @Test("an inset that would not fit is made smaller and keeps its shape")
    func shrunk() {
        let layout = ProgramLayout(size: Self.fullHD, kind: .pip, insetShare: 0.6)
        let inset = layout.rectangles(for: [Self.fullHD, Self.hd.turned])[1]
        // 1080 less two margins of 38.4 is 1003.2 high, of which 9/16 is 564.3 wide.
        #expect(inset.size == FrameSize(width: 564, height: 1004))
        #expect(inset.y + inset.height <= 1080)
    }

    @Test("columns are equal and meet")
    func sideBySide() {
        let layout = ProgramLayout(size: Self.fullHD, kind: .sideBySide)
        #expect(
            layout.rectangles(for: [Self.hd, Self.hd]) == [
                Self.rectangle(0, 0, 960, 1080), Self.rectangle(960, 0, 960, 1080),
            ])
        let hd = ProgramLayout(size: Self.hd, kind: .sideBySide).rectangles(for: [Self.hd, Self.hd, Self.hd])
        #expect(hd.map(\.x) == [0, 426, 854])
        #expect(hd.map(\.width) == [426, 428, 426])
    }

    @Test("a grid has as many columns as the root of its cells, rounded up")
    func grid() {
        let layout = ProgramLayout(size: Self.hd, kind: .grid)
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
        #expect(two == [Self.rectangle(0, 0, 640, 720), Self.rectangle(640, 0, 640, 720)])
        let five = layout.rectangles(for: Array(repeating: Self.hd, count: 5))
        #expect(five.map(\.y) == [0, 0, 0, 360, 360])
        #expect(layout.rectangles(for: [Self.hd]) == [Self.rectangle(0, 0, 1280, 720)])
    }

    @Test("one camera alone has all of the program")
    func single() {
        let layout = ProgramLayout(size: Self.hd, kind: .single)
        #expect(layout.rectangles(for: [Self.hd, Self.fullHD]) == [Self.rectangle(0, 0, 1280, 720)])
    }

    @Test("every rectangle of every layout is even, not empty and inside the program")
    func always() {
        let sizes = [
            FrameSize(width: 64, height: 64), Self.hd, Self.fullHD.turned,
            FrameSize(width: 1366, height: 766),
        ]
        let frames = [
            Self.hd, FrameSize(width: 641, height: 479), Self.hd.turned,
            FrameSize(width: 3840, height: 96),
        ]
        for size in sizes {
            for kind in ProgramSettings.Layout.allCases {
                for (insetShare, marginShare) in [(0.05, 0.0), (0.25, 0.02), (1, 0.5), (0.333, 0.11)] {
                    for count in 1...9 {
                        let layout = ProgramLayout(
                            size: size, kind: kind, corner: .bottomLeft, insetShare: insetShare,
                            marginShare: marginShare)
                        let rectangles = layout.rectangles(
                            for: (0..<count).map { frames[$0 % frames.count] })
                        #expect(rectangles.count == (kind == .single ? 1 : count))
                        #expect(
                            rectangles.allSatisfy { Self.isProper($0, in: size) },
                            "\(kind) \(size) × \(count)")
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
