import MulticamMedia
import Testing

@testable import MulticamEncoding

@Suite("Trial of a hardware encoder")
struct EncoderTrialTests {
    private static let small = FrameSize(width: 640, height: 360)
    /// A rate that any computer reaches, because these tests don't depend on x264's speed.
    private static let anyRate: FrameRate = FrameRate(1, per: 100)

    private func trial(
        _ fault: FakeHardwareEncoder.Fault, sizes: [FrameSize] = [small],
        leastRate: FrameRate = Self.anyRate, patience: Nanoseconds = .seconds(60)
    ) -> TriedEncoder {
        EncoderTrial(
            of: FakeHardwareEncoder.encoder, sizes: sizes, minRate: leastRate, frameTimeout: patience,
            open: FakeHardwareEncoder.opening(fault)
        ).run()
    }

    @Test("a correct encoder passes, with plausible figures")
    func works() throws {
        let sizes = [Self.small, FrameSize(width: 960, height: 540)]
        let figures = try #require(trial(.none, sizes: sizes).figures)
        #expect(figures.sizes == sizes)
        #expect(figures.lowestPSNR > 34 && figures.lowestPSNR < 60)
        #expect(figures.pixelsPerSecond > 0)
        #expect(figures.streams == EncoderTrial.maxStreams)
        #expect(figures.processor.nanoseconds(units: 640 * 360) > 10_000)
        #expect(!figures.lacksColorTags)
        #expect(figures.covers(FrameSize(width: 960, height: 538)))
        #expect(!figures.covers(FrameSize(width: 540, height: 960)))
    }

    @Test(
        "each defect results in a verdict that names it",
        arguments: [
            (.refusesToOpen, "no more sessions"), (.refusesSecond, "no more sessions"),
            (.dropsFrames, "dropped a frame"), (.wrongOrder, "out of order"),
            (.coarse, " dB; at least 30.0 dB is required"),
            (.noKeysOnRequest, "does not produce key frames on request"),
            (.noParameterSets, "does not provide parameter sets"), (.otherSize, "instead of 640x360"),
            (.fails(atFrame: 30), "device lost"),
        ] as [(FakeHardwareEncoder.Fault, String)])
    func verdicts(_ fault: FakeHardwareEncoder.Fault, _ words: String) throws {
        guard case .fails(let reason) = trial(fault).outcome else {
            Issue.record("\(fault) passed")
            return
        }
        #expect(reason.contains(words), "\(reason)")
        #expect(reason.hasPrefix("libx264 on /dev/stand-in: ") && reason.hasSuffix("."))
    }

    @Test("frames with swapped timestamps can't be read back, or differ from the input")
    func exchanged() throws {
        guard case .fails(let reason) = trial(.exchangedFrames).outcome else {
            Issue.record("it passed")
            return
        }
        #expect(
            [
                "reading back the encoded stream failed", "could be read back in order",
                "dB; at least 30.0 dB is required",
            ]
            .contains { reason.contains($0) },
            "\(reason)")
    }

    @Test("an encoder slower than a camera isn't used")
    func slow() throws {
        guard case .fails(let reason) = trial(.none, leastRate: FrameRate(100_000)).outcome else {
            Issue.record("it passed")
            return
        }
        #expect(
            reason.contains("the encoder processes at most")
                && reason.contains("frames of 640x360 per second"))
    }

    @Test("an encoder that hangs is abandoned, and the verdict reports it")
    func hangs() throws {
        let gate = FakeHardwareEncoder.Gate(atFrame: 20)
        defer { gate.open() }
        guard case .fails(let reason) = trial(.hangs(gate), patience: .milliseconds(500)).outcome else {
            Issue.record("it passed")
            return
        }
        #expect(reason.contains("did not respond within 0.5 s"))
    }

    @Test("an encoder without color tags passes; the tags are written into its stream")
    func colors() throws {
        #expect(try #require(trial(.noColorTags).figures).lacksColorTags)
    }

    @Test("a separate packet of parameter sets isn't a frame")
    func parameterSets() throws {
        #expect(trial(.separateParameterSets).figures != nil)
    }

    @Test("a rejected size is excluded, and other sizes remain available")
    func oneSizeOnly() throws {
        let open = FakeHardwareEncoder.opening(.none)
        let picky: HardwareCoderFactory = { settings throws(EncodingError) in
            guard settings.size.width >= settings.size.height else { throw FakeHardwareEncoder.refusal }
            return try open(settings)
        }
        let tried = EncoderTrial(
            of: FakeHardwareEncoder.encoder, sizes: [Self.small, Self.small.transposed],
            minRate: Self.anyRate,
            frameTimeout: .seconds(60), open: picky
        )
        .run()
        #expect(try #require(tried.figures).sizes == [Self.small])
    }

    @Test("the number of simultaneous streams is limited by the device's sessions")
    func sessions() throws {
        let open = ConditionLock(0)
        let opening = FakeHardwareEncoder.opening(.none)
        let limited: HardwareCoderFactory = { settings throws(EncodingError) in
            guard open.withLock({ $0 < 3 }) else { throw FakeHardwareEncoder.refusal }
            return try CountedCoder(try opening(settings), open)
        }
        let tried = EncoderTrial(
            of: FakeHardwareEncoder.encoder, sizes: [Self.small], minRate: Self.anyRate,
            frameTimeout: .seconds(60),
            open: limited
        ).run()
        #expect(try #require(tried.figures).streams == 3)
    }

    /// A hardware encoder that counts its open instances.
    private final class CountedCoder: HardwareCoding {
        private let inner: any HardwareCoding
        private let count: ConditionLock<Int>

        init(_ inner: any HardwareCoding, _ count: ConditionLock<Int>) throws(EncodingError) {
            self.inner = inner
            self.count = count
            count.withLock { $0 += 1 }
        }

        deinit { count.withLock { $0 -= 1 } }

        var layout: HardwareFrame.Layout { inner.layout }
        var setup: [UInt8] { inner.setup }
        func encode(
            _ frame: HardwareFrame?, presentation: Int64, asKey: Bool
        ) throws(EncodingError) -> [CodedFrame] {
            try inner.encode(frame, presentation: presentation, asKey: asKey)
        }
    }
}
