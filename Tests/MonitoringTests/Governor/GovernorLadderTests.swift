import MulticamMedia
import Testing

@testable import MulticamMonitoring
@testable import MulticamPlan
@testable import MulticamProfiles

@Suite("measures available to the governor")
struct GovernorLadderTests {
    private static let hd = FrameSize(width: 1920, height: 1080)

    private static func camera(
        _ role: String, _ size: FrameSize = hd, pixel: PixelFormat = .mjpeg, rate: FrameRate = FrameRate(30)
    ) -> PlannedCamera {
        PlannedCamera(
            role: role, selector: role, identity: DeviceIdentity(product: "p", name: role),
            format: VideoFormat(pixel: pixel, size: size, rate: rate))
    }

    private static func plan(
        _ cameras: [PlannedCamera], mode: PlannedCameraTrack.Mode?, hasProgram: Bool,
        preset: VideoEncodingSettings.Preset = .superfast
    ) -> SessionPlan {
        let settings = VideoEncodingSettings(
            size: hd, rate: FrameRate(30), preset: preset, quality: 23, color: .bt709Limited)
        let program = PlannedProgram(
            file: "program.mp4", settings: settings,
            arrangement: ProgramArrangement(
                ProgramSettings(
                    layout: .grid, main: cameras.first?.role ?? "", insets: cameras.dropFirst().map(\.role))),
            cameras: cameras, mix: [], audioBitrate: 160_000)
        let tracks = mode.map { mode in
            cameras.map {
                PlannedCameraTrack(
                    role: $0.role, mode: mode, file: "cameras/\($0.role).mov", rate: $0.format.rate,
                    settings: settings, rotation: .none)
            }
        }
        return SessionPlan(
            profile: "test", cameras: cameras, microphones: [], program: hasProgram ? program : nil,
            cameraTracks: tracks ?? [], microphoneTracks: [])
    }

    private static func offers(_ sizes: [(Int, Int)], _ rates: [Int64], pixel: PixelFormat = .mjpeg)
        -> [OfferedFormat]
    {
        sizes.map {
            OfferedFormat(
                pixel: pixel, size: FrameSize(width: $0, height: $1),
                rates: .listed(rates.map { FrameRate($0) }))
        }
    }

    private static func texts(
        _ plan: SessionPlan, _ offers: GovernorLadder.Offers = [:], floors: BudgetSettings = BudgetSettings(),
        hasPreviews: Bool = false
    ) -> [String] {
        GovernorLadder(plan, offers: offers, floors: floors, hasPreviews: hasPreviews).measures.map(\.text)
    }

    @Test(
        "invisible measures come first, then the program, camera rates, and camera sizes, insets before main, off last"
    )
    func order() {
        let plan = Self.plan(
            [Self.camera("desk"), Self.camera("face", FrameSize(width: 1280, height: 720))], mode: .copy,
            hasProgram: true)
        let offers = Self.offers(
            [(1920, 1080), (1280, 720), (960, 540), (640, 480), (320, 240)], [30, 24, 20, 15, 5])
        #expect(
            Self.texts(plan, ["desk": offers, "face": offers], hasPreviews: true) == [
                "program preset superfast → ultrafast", "previews on → off", "decoding full → half size",
                "program frames 30 → 20", "program frames 20 → 15", "program on → paused",
                "face rate 30 → 20", "face rate 20 → 15",
                "desk rate 30 → 20", "desk rate 20 → 15", "face size 1280x720 → 960x540",
                "face size 960x540 → 640x480", "desk size 1920x1080 → 1280x720",
                "desk size 1280x720 → 960x540", "desk size 960x540 → 640x480", "face on → off",
            ])
    }

    @Test("cameras are reduced only to offered formats, and not below the floors")
    func floors() {
        let plan = Self.plan([Self.camera("desk")], mode: .copy, hasProgram: false)
        let offers = Self.offers([(1920, 1080), (1280, 720), (640, 360)], [30, 25, 10])
        let floors = BudgetSettings(
            floorSize: FrameSize(width: 1000, height: 600), floorRate: FrameRate(12))
        #expect(
            Self.texts(plan, ["desk": offers], floors: floors) == [
                "desk rate 30 → 25", "desk size 1920x1080 → 1280x720",
            ])
        // Formats with another pixel format don't count.
        let raw = Self.offers([(1280, 720)], [30, 15], pixel: .yuyv)
        #expect(Self.texts(plan, ["desk": raw]).isEmpty)
    }

    @Test("the fastest preset, copied tracks, and fixed formats provide no measures")
    func nothing() {
        #expect(Self.texts(Self.plan([Self.camera("desk")], mode: .copy, hasProgram: false)).isEmpty)
        let fast = Self.plan([Self.camera("desk")], mode: nil, hasProgram: true, preset: .ultrafast)
        #expect(
            Self.texts(fast, floors: BudgetSettings(floorRate: FrameRate(30))) == [
                "decoding full → half size"
            ])
        let audio = SessionPlan(
            profile: "sound", cameras: [], microphones: [], program: nil, cameraTracks: [],
            microphoneTracks: [])
        #expect(Self.texts(audio).isEmpty)
    }

    @Test("encoded tracks are reduced, the last camera first; copied H.264 keeps its format")
    func tracks() {
        let cameras = [Self.camera("a"), Self.camera("b", pixel: .h264)]
        let encoded = Self.plan(cameras, mode: .encode, hasProgram: false)
        #expect(
            Self.texts(encoded) == [
                "b preset superfast → ultrafast", "a preset superfast → ultrafast",
                "decoding full → half size", "b frames 30 → 20", "b frames 20 → 15",
                "a frames 30 → 20", "a frames 20 → 15",
            ])
        let stream = Self.offers([(1920, 1080), (1280, 720)], [30, 15], pixel: .h264)
        let copied = Self.plan(cameras, mode: .copy, hasProgram: false)
        #expect(Self.texts(copied, ["b": stream]).isEmpty)
    }

    @Test("film and television rates are also reduced in the usual steps")
    func rates() {
        let plan = Self.plan(
            [Self.camera("desk", rate: FrameRate(60000, per: 1001))], mode: .copy, hasProgram: false)
        let offers = [
            OfferedFormat(
                pixel: .mjpeg, size: Self.hd, rates: .any(from: FrameRate(1), through: FrameRate(60)))
        ]
        #expect(
            Self.texts(plan, ["desk": offers]) == [
                "desk rate 59.94 → 40", "desk rate 40 → 25", "desk rate 25 → 15",
            ])
    }
}
