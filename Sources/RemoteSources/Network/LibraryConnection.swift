internal import CMulticamMedia
internal import Glibc
internal import MulticamEncoding
internal import MulticamMedia

/// Receives frames and audio from a libavformat stream, determines their capture times, and sends them to the session.
/// Use this type only on the camera's thread.
final class LibraryConnection {
    private let stream: LibraryStream
    private let address: SourceAddress
    private let request: SourceRequest
    private let cancellation: Cancellation
    private let clock = MonotonicClock()
    private var videoClock = StreamClock()
    private var audioClock = StreamClock()
    private var continuity = FrameContinuity(interval: .milliseconds(40))
    private var color = ColorDescription.bt709Limited
    private var size = FrameSize(width: 0, height: 0)
    private var packets: PacketFilter?
    private var decoder: NetworkFrameDecoder?
    private var audioDecoder: NetworkAudioDecoder?
    /// Capture times of packets whose frames are still in the decoder, by timestamp.
    private var dates: [Int64: PacketDate] = [:]
    /// Whether the video's timestamps have a new origin starting with the current packet.
    private var isRebased = false
    /// Wall clock time of a packet whose frame is output together with the next packet.
    private var pendingWall: ClockTime?
    /// Whether the audio's capture times come from its own clock instead of the video's clock.
    private var usesOwnClock = false
    /// Time when the sources of the capture times were chosen.
    private var decisionTime = ClockTime(nanoseconds: 0)
    private var waitsForKey = true
    /// The access unit that is sent when the next access unit begins.
    private var pending: PendingUnit?
    /// Video packets since the latest key frame, kept while the rate is detected. The next key frame of a
    /// stream may be many seconds away.
    private var sinceKey = StreamPacketHistory()
    private var watchdog = FrameWatchdog(since: MonotonicClock().now)
    private var repeatedTimestamps = RepeatedTimestamps()
    /// Whether the camera has sent its wall clock, for video and for audio.
    private var (hasWall, audioHasWall) = (false, false)

    /// Maximum time to wait for the camera's wall clock. Cameras send their wall clock every five seconds.
    private static let longestWait = Nanoseconds.seconds(6)
    /// Time for which frames are observed if the protocol doesn't transmit a wall clock.
    private static let shortWait = Nanoseconds.milliseconds(2500)
    /// Maximum time to wait for the audio stream's own wall clock after the video stream's wall clock has arrived.
    private static let audioWait = Nanoseconds.seconds(6)
    /// Maximum number of packets that may still be in the decoder.
    private static let mostDates = 64
    /// Maximum age of a raw frame after decoding. Older frames aren't sent.
    private static let oldestRaw = Nanoseconds.seconds(2)
    /// Minimum frame interval assumed until the rate is known, because the library may guess a multiple of the rate.
    private static let longestUnknownInterval = Nanoseconds.milliseconds(200)
    /// Additional delay that is allowed for occasional network congestion.
    private static let delayMargin = Nanoseconds.milliseconds(150)

    init(
        _ stream: LibraryStream, _ address: SourceAddress, _ request: SourceRequest,
        _ cancellation: Cancellation
    ) throws(SourceError) {
        (self.stream, self.address, self.request, self.cancellation) = (
            stream, address, request, cancellation
        )
        if request.video, stream.video == nil { throw .refused("\(address) does not send video.") }
        if request.audio, stream.audio == nil, !request.video {
            throw .refused("\(address) does not send audio.")
        }
        if let video = stream.video {
            let guessed = stream.guessedRate(of: video)?.interval ?? .zero
            videoClock.allowReordering(
                Self.isReordered(video), interval: max(guessed, Self.longestUnknownInterval))
        }
        if request.audio, let audio = stream.audio { audioDecoder = try NetworkAudioDecoder(audio, address) }
    }

    /// Delivers data until the connection ends.
    func run(into output: SourceOutput) throws(SourceError) {
        let format = try measureFormat(output)
        if let format, request.video { try announceCamera(format, output) }
        _ = media_missed_packets()
        if let video = stream.video, output.hasCamera { try replay(of: video, output) }
        watchdog = FrameWatchdog(since: clock.now)
        while !cancellation.isCancelled {
            let packet = try stream.read()
            let arrival = clock.now
            record(packet, arrival)
            output.reportClockChange(videoClock.dequeueClockChange())
            if output.hasCamera, watchdog.isStalled(at: arrival) {
                throw .lost("\(address) has not sent a new frame for 3 s, although its stream continues.")
            }
            if let video = stream.video, packet.pointee.stream_index == video.pointee.index, output.hasCamera
            {
                // If the camera continues to do this, the next connection is refused.
                if repeatedTimestamps.isFrequent { throw .lost(repeatedTimestampsError) }
                try receive(video: packet, of: video, output)
            } else if let audio = stream.audio, packet.pointee.stream_index == audio.pointee.index {
                try receive(audio: packet, of: audio, output)
            }
        }
    }

    // MARK: Format detection

    /// Processes the packets that arrived while the rate was detected, from the latest key frame on.
    private func replay(of video: UnsafeMutablePointer<AVStream>, _ output: SourceOutput) throws(SourceError)
    {
        let packets = sinceKey.dequeueAll()
        for packet in packets {
            if cancellation.isCancelled { return }
            try receive(video: packet.pointer, of: video, output)
        }
    }

    /// Observes the stream until its clock source and frame rate are known.
    private func measureFormat(_ output: SourceOutput) throws(SourceError) -> VideoFormat? {
        let began = clock.now
        var stamps: [Nanoseconds] = []
        videoClock.transportDelay = .zero
        let patience = address.kind == .rtsp ? Self.longestWait : Self.shortWait
        var wallNotes = 0
        var first: (stamp: Nanoseconds, arrival: ClockTime)?
        while clock.now - began < patience {
            if cancellation.isCancelled { throw .lost("\(address) is no longer used.") }
            let packet = try stream.read()
            wallNotes += record(packet, clock.now) ? 1 : 0
            if let video = stream.video, packet.pointee.stream_index == video.pointee.index,
                let stamp = Self.stamp(packet, of: video), stamps.count < 1000
            {
                stamps.append(stamp)
                first = first ?? (stamp, clock.now)
                // Packets that follow a loss or a new timestamp origin are unusable until the next key frame.
                if isRebased || media_missed_packets() > 0 { sinceKey = StreamPacketHistory() }
                if isRebased { (first, stamps) = ((stamp, clock.now), [stamp]) }
                sinceKey.append(packet)
            }
            if wallNotes >= 5, stamps.count >= 12, videoClock.measuredTransportDelay != nil { break }
        }
        guard let video = stream.video, request.video else {
            videoClock.chooseOrigin()
            audioClock.chooseOrigin()
            decisionTime = clock.now
            return nil
        }
        if repeatedTimestamps.isFrequent { throw .refused(repeatedTimestampsError) }
        if let first, let last = stamps.max(), stamps.count >= 12,
            RateEstimate.isFrozen(stamps: last - first.stamp, over: clock.now - first.arrival)
        {
            throw .refused(
                "\(address) sends frames whose timestamps do not advance, so their capture times are unknown. Update the camera's firmware, or use a different stream of the camera."
            )
        }
        let rate = output.rate(
            measured: RateEstimate.rate(ofStamps: stamps, guessed: stream.guessedRate(of: video)))
        videoClock.assembly = Self.isAssembled(video) ? rate.interval : .zero
        videoClock.transportDelay = rate.interval + videoClock.assembly + (address.srt?.latency ?? .zero)
        videoClock.allowReordering(Self.isReordered(video), interval: rate.interval)
        videoClock.chooseOrigin()
        audioClock.chooseOrigin()
        decisionTime = clock.now
        continuity = FrameContinuity(interval: rate.interval)
        return try format(of: video, rate)
    }

    private func format(
        of video: UnsafeMutablePointer<AVStream>, _ rate: FrameRate
    ) throws(SourceError) -> VideoFormat {
        guard let parameters = video.pointee.codecpar else {
            throw .lost("\(address) does not send its video format.")
        }
        let size = FrameSize(width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
        guard size.isPlausible else {
            throw .lost("\(address) sends video without a valid size.")
        }
        self.size = size
        color = ColorDescription(of: parameters)
        switch parameters.pointee.codec_id {
        case AV_CODEC_ID_MJPEG:
            color = .jpeg
            return VideoFormat(pixel: .mjpeg, size: size, rate: rate)
        case AV_CODEC_ID_H264 where !Self.isReordered(video):
            packets = try PacketFilter(video, address)
            return VideoFormat(pixel: .h264, size: size, rate: rate)
        default:
            decoder = try NetworkFrameDecoder(video, size, address)
            return VideoFormat(pixel: .i420, size: size, rate: rate)
        }
    }

    private func announceCamera(_ format: VideoFormat, _ output: SourceOutput) throws(SourceError) {
        let reordering = format.rate.interval * (decoder == nil ? 1 : 4)
        try output.announce(
            format, color,
            delay: videoClock.transportDelay + format.rate.interval * 2 + reordering + Self.delayMargin,
            dated: videoClock.origin ?? .arrival)
    }

    // MARK: Timestamps

    private static func stamp(
        _ packet: UnsafeMutablePointer<AVPacket>, of stream: UnsafeMutablePointer<AVStream>
    ) -> Nanoseconds? {
        LibraryStream.time(packet.pointee.pts, of: stream)
            ?? LibraryStream.time(packet.pointee.dts, of: stream)
    }

    /// Whether the order of the packets differs from the display order of their frames.
    private static func isReordered(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        (stream.pointee.codecpar?.pointee.video_delay ?? 0) > 0
    }

    /// Whether libavformat outputs a frame only when the next frame begins, together with the next frame's
    /// wall clock.
    private static func isAssembled(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        switch stream.pointee.codecpar?.pointee.codec_id {
        case AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG4: true
        default: false
        }
    }

    /// Passes a packet's times to the stream clocks.
    ///
    /// - Returns: Whether the packet carried the camera's wall clock.
    @discardableResult
    private func record(_ packet: UnsafeMutablePointer<AVPacket>, _ arrival: ClockTime) -> Bool {
        let wall = WallClock.capture(of: packet)
        if let video = stream.video, packet.pointee.stream_index == video.pointee.index {
            guard let stamp = Self.stamp(packet, of: video) else { return false }
            watchdog.record(stamp, at: arrival)
            // The two fields of an interlaced frame may have the same timestamp.
            if let parameters = video.pointee.codecpar?.pointee,
                [AV_FIELD_UNKNOWN, AV_FIELD_PROGRESSIVE].contains(parameters.field_order),
                PacketFilter.beginsFrame(packet, of: parameters.codec_id)
            {
                repeatedTimestamps.record(stamp)
            }
            let isAssembled = Self.isAssembled(video)
            // If a session has several streams, libavformat rebases their timestamps at the first report of
            // the camera's clock.
            isRebased = videoClock.record(stamp, arrival: arrival, isRebased: wall != nil && !hasWall)
            hasWall = hasWall || wall != nil
            let own = isAssembled ? pendingWall : wall
            pendingWall = wall
            guard let own else { return false }
            videoClock.record(stamp, captured: own, arrival: arrival)
            return true
        }
        guard let audio = stream.audio, packet.pointee.stream_index == audio.pointee.index,
            let stamp = Self.stamp(packet, of: audio)
        else { return false }
        if audioClock.record(stamp, arrival: arrival, isRebased: wall != nil && !audioHasWall) {
            audioDecoder?.interrupt()
        }
        audioHasWall = audioHasWall || wall != nil
        if let wall { audioClock.record(stamp, captured: wall, arrival: arrival) }
        // The audio's own wall clock may arrive later than the video's wall clock.
        if videoClock.origin == .wallClock, audioClock.origin == .arrival,
            audioClock.measuredTransportDelay != nil
        {
            audioClock.chooseOrigin()
        }
        return stream.video == nil && wall != nil
    }

    private var repeatedTimestampsError: String {
        "\(address) sends several frames with the same timestamp, so their capture times are unknown. Update the camera's firmware, or use a different stream of the camera."
    }

    // MARK: Frame and audio delivery

    private func receive(
        video packet: UnsafeMutablePointer<AVPacket>, of video: UnsafeMutablePointer<AVStream>,
        _ output: SourceOutput
    ) throws(SourceError) {
        guard let stamp = Self.stamp(packet, of: video) else { return }
        let date = PacketDate(time: videoClock.time(of: stamp), isRebased: isRebased)
        let isDamaged =
            media_missed_packets() > 0 || (packet.pointee.flags & AV_PKT_FLAG_CORRUPT) != 0
        if let decoder {
            if dates.count >= Self.mostDates { dates = [:] }
            dates[packet.pointee.pts] = date
            for frame in try decoder.decode(packet) {
                guard let frameStamp = LibraryStream.time(frame.stamp, of: video) else { continue }
                let date = dates.removeValue(forKey: frame.stamp)
                let time = date?.time ?? videoClock.time(of: frameStamp)
                if date?.isRebased == true { continuity.interrupt() }
                guard
                    let missing = continuity.record(
                        frameStamp, isDamaged: isDamaged && frame.stamp == packet.pointee.pts)
                else { continue }
                // Old frames are dropped: they were decoded only because later frames depend on them, and
                // several seconds of raw frames would need gigabytes of memory.
                guard clock.now - time < Self.oldestRaw else { continue }
                try output.send(frame.bytes, at: time, within: videoClock.error, missing: missing)
            }
            return
        }
        guard let packets else {
            guard let bytes = PacketFilter.copy(of: packet) else { return }
            guard let markers = JPEGMarkers(bytes.bytes) else { return continuity.recordLoss() }
            try check(markers.size)
            if isRebased { continuity.interrupt() }
            // libavformat outputs nothing for a JPEG that is missing a packet.
            guard let missing = continuity.record(stamp, isDamaged: false, isLossKnown: isDamaged) else {
                return
            }
            return try output.send(bytes, at: date.time, within: videoClock.error, missing: missing)
        }
        let isKey = (packet.pointee.flags & AV_PKT_FLAG_KEY) != 0
        if waitsForKey, !isKey { return }
        waitsForKey = false
        guard let bytes = try packets.filter(packet) else { return continuity.recordLoss() }
        if let size = packets.size { try check(size) }
        let unit = PendingUnit(
            bytes: bytes, stamp: stamp, date: date, isKey: isKey, isDamaged: isDamaged)
        // libavformat splits frames at parameter sets, which some cameras repeat between the slices of a frame.
        if pending?.stamp == stamp {
            guard pending?.append(unit, atMost: LibraryStream.longestFrame) == true else {
                throw .lost(
                    "\(address) sends all packets with the same timestamp.")
            }
            return
        }
        if let pending { try send(pending, output) }
        pending = unit
    }

    private func send(_ unit: PendingUnit, _ output: SourceOutput) throws(SourceError) {
        if unit.date.isRebased { continuity.interrupt() }
        guard let missing = continuity.record(unit.stamp, isDamaged: unit.isDamaged) else { return }
        guard !continuity.isReversed else {
            throw .lost("\(address) sends decreasing timestamps.")
        }
        guard !continuity.isReordered else {
            throw .refused(
                "\(address) sends B-frames, which cannot be copied. Disable B-frames in the camera, for example with the Baseline profile."
            )
        }
        try output.send(
            unit.bytes, at: unit.date.time, within: videoClock.error, missing: missing,
            isKey: unit.isKey)
    }

    private func check(_ size: FrameSize) throws(SourceError) {
        guard size == self.size else {
            throw .changed(
                "\(address) changed its frame size from \(self.size) to \(size). Restore the previous size in the camera's settings."
            )
        }
    }

    private func receive(
        audio packet: UnsafeMutablePointer<AVPacket>, of audio: UnsafeMutablePointer<AVStream>,
        _ output: SourceOutput
    ) throws(SourceError) {
        guard let audioDecoder else { return }
        let hasOwnClock = audioClock.origin == .wallClock || stream.video == nil
        if !output.hasMicrophone {
            if !hasOwnClock, videoClock.origin == .wallClock, clock.now - decisionTime < Self.audioWait {
                return
            }
            try output.announce(
                audio: audioDecoder.format, delay: videoClock.transportDelay + Self.delayMargin * 2,
                dated: (hasOwnClock ? audioClock : videoClock).origin ?? .arrival)
            usesOwnClock = hasOwnClock
        }
        let dating = usesOwnClock ? audioClock : videoClock
        for slice in try audioDecoder.decode(packet) {
            guard let stamp = LibraryStream.time(slice.stamp, of: audio) else { continue }
            try output.send(
                audio: slice.samples, channels: audioDecoder.format.channels, at: dating.time(of: stamp),
                within: dating.error, first: slice.first, rate: audioDecoder.format.rate)
        }
    }
}
