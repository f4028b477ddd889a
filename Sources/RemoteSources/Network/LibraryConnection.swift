internal import CMedia
internal import Encoding
internal import Glibc
internal import Media

/// Takes frames and audio from a stream of libavformat, dates them, and sends them on. Belongs to the camera's thread.
// Collaborators: the stream, its decoders and its clocks meet here, and nowhere else.
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
    /// Packets whose frames the decoder has, by their stamps.
    private var dates: [Int64: PacketDate] = [:]
    /// Whether the video's stamps count another time from the present packet on.
    private var isRebased = false
    /// The wall clock of a packet whose frame comes with the next one.
    private var pendingWall: ClockTime?
    /// Whether the audio is dated by its own clock, in place of the video's.
    private var usesOwnClock = false
    /// When dates were decided.
    private var decided = ClockTime(nanoseconds: 0)
    private var waitsForKey = true
    /// The access unit that is sent when the next one begins.
    private var pending: PendingUnit?
    /// Whether the camera has told its wall clock, with its frames and with its audio.
    private var (hasWall, audioHasWall) = (false, false)

    /// How long the camera's wall clock is waited for: cameras send it each five seconds.
    private static let longestWait = Nanoseconds.seconds(6)
    /// How long frames are watched where there is no wall clock to wait for.
    private static let shortWait = Nanoseconds.milliseconds(2500)
    /// How long an audio stream's own wall clock is waited for after the video's.
    private static let audioWait = Nanoseconds.seconds(6)
    /// Most packets of which the decoder may owe a frame.
    private static let mostDates = 64
    /// Room for what a network holds back now and then.
    private static let room = Nanoseconds.milliseconds(150)

    init(
        _ stream: LibraryStream, _ address: SourceAddress, _ request: SourceRequest,
        _ cancellation: Cancellation
    ) throws(SourceError) {
        (self.stream, self.address, self.request, self.cancellation) = (
            stream, address, request, cancellation
        )
        if request.video, stream.video == nil { throw .refused("\(address) sends no video.") }
        if request.audio, stream.audio == nil, !request.video { throw .refused("\(address) sends no audio.") }
        if request.audio, let audio = stream.audio { audioDecoder = try NetworkAudioDecoder(audio, address) }
    }

    /// Delivers until the connection ends.
    func run(into output: SourceOutput) throws(SourceError) {
        let format = try settle(output)
        if let format, request.video { try announceCamera(format, output) }
        _ = media_missed_packets()
        while !cancellation.isCancelled {
            let packet = try stream.read()
            let arrival = clock.now
            note(packet, arrival)
            output.tell(clockSetBy: videoClock.takeSetting())
            if let video = stream.video, packet.pointee.stream_index == video.pointee.index, output.hasCamera
            {
                try take(video: packet, of: video, output)
            } else if let audio = stream.audio, packet.pointee.stream_index == audio.pointee.index {
                try take(audio: packet, of: audio, output)
            }
        }
    }

    // MARK: Before anything is sent

    /// Watches the stream until it is known how to date it, and at which rate it runs.
    private func settle(_ output: SourceOutput) throws(SourceError) -> VideoFormat? {
        let began = clock.now
        var stamps: [Nanoseconds] = []
        videoClock.way = .zero
        let patience = address.kind == .rtsp ? Self.longestWait : Self.shortWait
        var wallNotes = 0
        while clock.now - began < patience {
            if cancellation.isCancelled { throw .lost("\(address) is no longer wanted.") }
            let packet = try stream.read()
            wallNotes += note(packet, clock.now) ? 1 : 0
            if let video = stream.video, packet.pointee.stream_index == video.pointee.index,
                let stamp = Self.stamp(packet, of: video), stamps.count < 1000
            {
                stamps.append(stamp)
            }
            if wallNotes >= 5, stamps.count >= 12, videoClock.measuredWay != nil { break }
        }
        guard let video = stream.video, request.video else {
            videoClock.decide()
            audioClock.decide()
            decided = clock.now
            return nil
        }
        let rate = output.rate(
            about: RateEstimate.rate(ofStamps: stamps, guessed: stream.guessedRate(of: video)))
        videoClock.assembly = Self.isAssembled(video) ? rate.interval : .zero
        videoClock.way = rate.interval + videoClock.assembly + (address.srt?.latency ?? .zero)
        videoClock.decide()
        audioClock.decide()
        decided = clock.now
        continuity = FrameContinuity(interval: rate.interval)
        return try format(of: video, rate)
    }

    private func format(
        of video: UnsafeMutablePointer<AVStream>, _ rate: FrameRate
    ) throws(SourceError) -> VideoFormat {
        guard let parameters = video.pointee.codecpar else { throw .lost("\(address) sends no format.") }
        let size = FrameSize(width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
        guard size.isPlausible else {
            throw .lost("\(address) sends video without a size, or of one that no camera has.")
        }
        self.size = size
        color = ColorDescription(of: parameters)
        switch parameters.pointee.codec_id {
        case AV_CODEC_ID_MJPEG:
            color = .jpeg
            return VideoFormat(pixel: .mjpeg, size: size, rate: rate)
        case AV_CODEC_ID_H264 where parameters.pointee.video_delay == 0:
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
            format, color, delay: videoClock.way + format.rate.interval * 2 + reordering + Self.room,
            dated: videoClock.origin ?? .arrival)
    }

    // MARK: Dates

    private static func stamp(
        _ packet: UnsafeMutablePointer<AVPacket>, of stream: UnsafeMutablePointer<AVStream>
    ) -> Nanoseconds? {
        LibraryStream.time(packet.pointee.pts, of: stream)
            ?? LibraryStream.time(packet.pointee.dts, of: stream)
    }

    /// Whether libavformat gives a frame out when the next one begins, with the wall clock of that next one.
    private static func isAssembled(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        switch stream.pointee.codecpar?.pointee.codec_id {
        case AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG4: true
        default: false
        }
    }

    /// Has the clocks take note of a packet.
    ///
    /// - Returns: Whether it came with the camera's wall clock.
    @discardableResult
    private func note(_ packet: UnsafeMutablePointer<AVPacket>, _ arrival: ClockTime) -> Bool {
        let wall = WallClock.capture(of: packet)
        if let video = stream.video, packet.pointee.stream_index == video.pointee.index {
            guard let stamp = Self.stamp(packet, of: video) else { return false }
            let isAssembled = Self.isAssembled(video)
            // libavformat counts the stamps of several streams anew with the first report of the camera's clock.
            isRebased = videoClock.note(stamp, arrival: arrival, isRebased: wall != nil && !hasWall)
            hasWall = hasWall || wall != nil
            let own = isAssembled ? pendingWall : wall
            pendingWall = wall
            guard let own else { return false }
            videoClock.note(stamp, captured: own, arrival: arrival)
            return true
        }
        guard let audio = stream.audio, packet.pointee.stream_index == audio.pointee.index,
            let stamp = Self.stamp(packet, of: audio)
        else { return false }
        if audioClock.note(stamp, arrival: arrival, isRebased: wall != nil && !audioHasWall) {
            audioDecoder?.interrupt()
        }
        audioHasWall = audioHasWall || wall != nil
        if let wall { audioClock.note(stamp, captured: wall, arrival: arrival) }
        // The audio's own wall clock may come later than the video's.
        if videoClock.origin == .wallClock, audioClock.origin == .arrival, audioClock.measuredWay != nil {
            audioClock.decide()
        }
        return stream.video == nil && wall != nil
    }

    // MARK: Frames and audio

    private func take(
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
                guard let time = LibraryStream.time(frame.stamp, of: video) else { continue }
                let date = dates.removeValue(forKey: frame.stamp)
                if date?.isRebased == true { continuity.interrupt() }
                guard
                    let missing = continuity.take(
                        time, isDamaged: isDamaged && frame.stamp == packet.pointee.pts)
                else { continue }
                try output.send(
                    frame.bytes, at: date?.time ?? videoClock.time(of: time), within: videoClock.error,
                    missing: missing)
            }
            return
        }
        guard let packets else {
            guard let bytes = PacketFilter.copy(of: packet) else { return }
            guard let markers = JPEGMarkers(bytes.bytes) else { return continuity.lose() }
            try check(markers.size)
            if isRebased { continuity.interrupt() }
            // Of a JPEG with a lost packet libavformat gives out nothing.
            guard let missing = continuity.take(stamp, isDamaged: false, isLossKnown: isDamaged) else {
                return
            }
            return try output.send(bytes, at: date.time, within: videoClock.error, missing: missing)
        }
        let isKey = (packet.pointee.flags & AV_PKT_FLAG_KEY) != 0
        if waitsForKey, !isKey { return }
        waitsForKey = false
        guard let bytes = try packets.filter(packet) else { return continuity.lose() }
        if let size = packets.size { try check(size) }
        let unit = PendingUnit(
            bytes: bytes, stamp: stamp, date: date, isKey: isKey, isDamaged: isDamaged)
        // Cameras that repeat their parameter sets between the slices of a frame have it divided there.
        if let pending, pending.stamp == stamp {
            self.pending = pending.joined(by: unit)
            return
        }
        if let pending { try send(pending, output) }
        pending = unit
    }

    private func send(_ unit: PendingUnit, _ output: SourceOutput) throws(SourceError) {
        if unit.date.isRebased { continuity.interrupt() }
        guard let missing = continuity.take(unit.stamp, isDamaged: unit.isDamaged) else { return }
        guard !continuity.isReordered else {
            throw .refused(
                "\(address) sends B-frames, which cannot be copied: switch them off in the camera (profile Baseline)."
            )
        }
        try output.send(
            unit.bytes, at: unit.date.time, within: videoClock.error, missing: missing,
            isKey: unit.isKey)
    }

    private func check(_ size: FrameSize) throws(SourceError) {
        guard size == self.size else {
            throw .refused(
                "\(address) sends frames of \(size) now, and sent \(self.size) before: set it back.")
        }
    }

    private func take(
        audio packet: UnsafeMutablePointer<AVPacket>, of audio: UnsafeMutablePointer<AVStream>,
        _ output: SourceOutput
    ) throws(SourceError) {
        guard let audioDecoder else { return }
        let hasOwnClock = audioClock.origin == .wallClock || stream.video == nil
        if !output.hasMicrophone {
            if !hasOwnClock, videoClock.origin == .wallClock, clock.now - decided < Self.audioWait { return }
            try output.announce(
                audio: audioDecoder.format, delay: videoClock.way + Self.room * 2,
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
