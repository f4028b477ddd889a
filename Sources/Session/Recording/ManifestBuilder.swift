internal import Encoders
package import FoundationEssentials
internal import Glibc
internal import Inputs
internal import Media
internal import Plan
internal import Profiles
internal import SessionFolder
internal import Timing
internal import Writers

/// Builds a recording's manifest: its devices, tracks, files, counts and outcome.
package struct ManifestBuilder {
    private var manifest: Manifest
    /// The plan with all cameras, microphones and tracks of the recording so far, each as it began: a file keeps its
    /// orientation to its end.
    private var plan: SessionPlan
    private let inputs: SessionInputs
    private let publications: PublicationBoard
    private let clock: any SessionClock
    private let start: ClockTime

    /// Creates the manifest of a recording that begins.
    ///
    /// - Parameters:
    ///   - context: Plan, options, devices and disks of the recording.
    ///   - start: T0 on the session's clock.
    ///   - delay: The alignment delay: time from an instant to its decision.
    init(_ context: RecordingContext, start: ClockTime, delay: Nanoseconds) {
        plan = context.plan
        inputs = context.inputs
        publications = context.publications
        self.start = start
        clock = context.clock
        manifest = Manifest(
            multicam: context.options.version, profile: context.plan.profile,
            started: Self.timeStamp(clock.date(of: start)),
            t0_monotonic_ns: clock.stamp(of: start).nanoseconds,
            duration_ns: 0, alignment_delay_ns: delay.count, outcome: .recording, machine: Self.machine,
            limits: Manifest.Limits(context.plan.limits), devices: [],
            tracks: [], cost: Manifest.Cost(context.options.reduction), governor: [], marks: [], gaps: [])
        manifest.title = plan.editing?.title
        manifest.edit = plan.editing.flatMap { $0.formats.isEmpty ? nil : $0.formats.map(\.rawValue) }
        manifest.people = plan.editing.flatMap { $0.people.isEmpty ? nil : $0.people }
        noteDevices()
    }

    /// Makes the manifest of a running recording, which recovery needs after a crash: the devices, and a disk's tracks
    /// without their counts.
    ///
    /// - Parameters:
    ///   - outputs: The recording's files, encoders and tracks.
    ///   - disk: The disk whose session folder gets the manifest.
    /// - Returns: The manifest, with the outcome `recording`.
    func current(_ outputs: SessionOutputs, on disk: RecordingDisk) -> Manifest {
        let files = RecordedFiles(beginning: outputs, on: disk)
        var current = manifest
        current.publications = []
        current.tracks = cameraTracks(outputs, files, .zero) + microphoneTracks(outputs, files, .zero)
        if let program = programTrack(outputs, files, .zero) { current.tracks.append(program) }
        for index in current.tracks.indices {
            current.tracks[index].frames = nil
            current.tracks[index].samples = nil
            current.tracks[index].loudness = nil
        }
        current.other_folder = outputs.disks.first { $0 !== disk }.map {
            Manifest.OtherFolder(folder: $0.folder.path.printable(), outcome: .recording)
        }
        return current
    }

    /// Adds the devices and tracks that a changed plan has and the manifest has not.
    ///
    /// - Parameter running: The plan that the recording follows now.
    mutating func follow(_ running: SessionPlan) {
        let roles = Set(plan.cameras.map(\.role) + plan.microphones.map(\.role))
        let names = Set(plan.cameraTracks.map(\.name))
        plan.cameras += running.cameras.filter { !roles.contains($0.role) }
        plan.microphones += running.microphones.filter { !roles.contains($0.role) }
        plan.cameraTracks += running.cameraTracks.filter { !names.contains($0.name) }
    }

    /// Takes the changes that took effect before a time, and what the program showed.
    mutating func note(_ changes: ChangeDirector, before time: MediaTime) {
        let made = changes.changes(before: time)
        let shown = changes.arrangements(before: time)
        manifest.changes = made.isEmpty ? nil : made
        manifest.arrangements = shown.isEmpty ? nil : shown
    }

    /// Writes the devices with the present state of their clocks into the manifest.
    mutating func noteDevices() {
        manifest.devices = devices
    }

    /// Makes the manifest of a disk's session folder for a recording that is over.
    ///
    /// - Parameters:
    ///   - outputs: The recording's files, encoders and tracks.
    ///   - files: The closed files on the disk.
    ///   - end: End of the recording since T0.
    ///   - outcome: Whether the files on the disk are complete.
    ///   - marks: The marks, in any order.
    ///   - stills: The stills taken during the recording.
    ///   - pressure: Summary of the system pressure, or `nil` when it was not read.
    ///   - governor: The governor, or `nil` when none ran.
    ///   - silenceExceeded: Roles of the microphones that were silent for longer than the profile allows.
    ///   - other: The other disk's session folder, or `nil` when there is none.
    /// - Returns: The final manifest.
    mutating func finished(
        outputs: SessionOutputs, files: RecordedFiles, end: MediaTime, outcome: Manifest.Outcome,
        marks: [Manifest.Mark], stills: [Manifest.Still],
        pressure: Manifest.Pressure?,
        governor: Governor?,
        silenceExceeded: Set<String>,
        other: Manifest.OtherFolder?
    ) -> Manifest {
        if !silenceExceeded.isEmpty { manifest.limits?.silent = silenceExceeded.sorted() }
        manifest.duration_ns = end.nanoseconds
        manifest.outcome = outcome
        manifest.group_time = (clock as? SteeredClock)?.summary.map { Manifest.GroupTime($0) }
        manifest.marks = marks.sorted { $0.at_ns < $1.at_ns }
        manifest.stills = stills.isEmpty ? nil : stills
        manifest.tracks = cameraTracks(outputs, files, end) + microphoneTracks(outputs, files, end)
        if let program = programTrack(outputs, files, end) { manifest.tracks.append(program) }
        manifest.files = files.listed(
            waveFiles: Dictionary(
                uniqueKeysWithValues: outputs.microphoneTracks.compactMap { track in
                    track.file.map { (track.name, $0.relativePath) }
                }))
        manifest.publications = publications.recorded(from: start, to: start + Nanoseconds(end.nanoseconds))
        manifest.cost = cost(pressure)
        manifest.governor = governor?.steps ?? []
        manifest.ended_by = governor?.endReason ?? files.conclusion?.description
        manifest.other_folder = other
        manifest.gaps = outputs.cameraTracks.flatMap(\.gaps) + outputs.microphones.flatMap(\.gaps)
        if let program = outputs.program { manifest.gaps += program.gaps }
        manifest.gaps += diskGaps(outputs, files) + audioEncoderGaps(outputs, end)
        return manifest
    }

    private var devices: [Manifest.Device] {
        inputs.cameras.flatMap { camera in devices(of: camera) }
            + inputs.microphones.map { microphone in
                let planned = plan.microphones.first { $0.role == microphone.role }
                var device = Manifest.Device(
                    role: microphone.role, kind: "microphone",
                    identity: microphone.source.device.identity.description.printable(),
                    name: microphone.source.device.name.printable(),
                    format: Manifest.Format(
                        channels: microphone.source.format.channels,
                        rate: Double(microphone.source.format.rate)),
                    offset_ns: planned?.offset.count, offset_source: planned?.offsetSource,
                    voice: planned?.voice, timeError: microphone.source.timeError,
                    clock: Manifest.Clock(
                        microphone.clockModel, dated: microphone.source.timeOrigin,
                        within: microphone.source.timeError))
                device.camera = planned?.camera
                return device
            }
    }

    /// The sources of a camera, in the order in which it had them.
    private func devices(of camera: CameraInput) -> [Manifest.Device] {
        let planned = plan.cameras.first { $0.role == camera.role }
        let sources = camera.sources
        return sources.enumerated().map { index, had in
            let format = had.source.format
            let from = index == 0 ? nil : sources[index - 1].until
            return Manifest.Device(
                role: camera.role, kind: "camera",
                identity: had.source.device.identity.description.printable(),
                name: had.source.device.name.printable(),
                from_ns: from.map { max(0, MediaTime($0, since: start).nanoseconds) },
                format: Manifest.Format(
                    pixel: format.pixel.rawValue, width: format.size.width, height: format.size.height,
                    rate: format.rate.perSecond),
                latency_ns: index == 0 ? planned?.latency.count : had.latency.count,
                latency_source: index == 0 ? planned?.latencySource : nil,
                timeError: had.source.timeError,
                clock: Manifest.Clock(
                    had.clockModel, corrected: had.correctedStamps, dated: had.source.timeOrigin,
                    within: had.source.timeError),
                metadata: planned?.metadataFile, controls: Self.controls(had.controls))
        }
    }

    private static func controls(_ outcomes: [ControlOutcome]) -> [Manifest.Control]? {
        guard !outcomes.isEmpty else { return nil }
        return outcomes.map { outcome in
            Manifest.Control(
                name: outcome.request.name.printable(), asked: outcome.request.value, value: outcome.value,
                origin: outcome.request.origin, refused: outcome.fault?.description.printable(limit: 1000))
        }
    }

    private func cameraTracks(
        _ outputs: SessionOutputs, _ files: RecordedFiles, _ end: MediaTime
    ) -> [Manifest.Track] {
        outputs.cameraTracks.compactMap { track -> Manifest.Track? in
            guard let planned = plan.cameraTracks.first(where: { $0.name == track.name }),
                let place = outputs.places[track.name], let movie = files.movies[place.file]
            else { return nil }
            let isStream = track is CopiedStreamTrack
            let format = track.input.firstSource.format
            let codec = planned.mode == .encode ? "h264" : format.pixel.rawValue
            let color = track.input.firstSource.color
            let begin = outputs.begins[track.name] ?? .zero
            let first = (track as? CopiedStreamTrack)?.firstTime ?? begin
            let ended = [outputs.ends[track.name], outputs.failedEnds[track.name]].compactMap(\.self).min()
                .flatMap { end == .zero || $0 < end ? $0 : nil }
            let last = min(ended ?? end, movie.conclusion ?? end)
            let parts = self.parts(
                movie, stream: place.stream, of: (planned.settings.size, isStream ? nil : track.rate))
            return Manifest.Track(
                name: track.name, role: planned.role == track.name ? nil : planned.role, kind: "camera",
                file: place.file, stream: place.stream, codec: codec,
                encoder: (track as? EncodedTrack).map {
                    Manifest.Encoder($0.encoder, rate: track.rate)
                },
                width: planned.settings.size.width, height: planned.settings.size.height,
                rate: track.rate.perSecond, rotation: planned.rotation.degrees,
                crop: planned.crop,
                color: Manifest.Color(matrix: color.matrix.rawValue, range: color.range.rawValue),
                first_ns: min(first, begin).nanoseconds,
                duration_ns: max(0, last.nanoseconds - begin.nanoseconds), ended_ns: ended?.nanoseconds,
                grid: isStream ? false : nil,
                frames: Manifest.Frames(
                    inFile(track.counts, files, place, leadCount: (track as? CopiedStreamTrack)?.leadCount)),
                parts: parts?.map(\.file), part_details: parts,
                failure: (movie.failure ?? files.conclusion)?.description
                    ?? (track as? EncodedTrack)?.encoder.failure?.description)
        }
    }

    private func microphoneTracks(
        _ outputs: SessionOutputs, _ files: RecordedFiles, _ end: MediaTime
    ) -> [Manifest.Track] {
        outputs.microphones.flatMap { microphone in
            microphone.tracks.compactMap { self.track($0, of: microphone, outputs, files, end) }
        }
    }

    private func track(
        _ track: MicrophoneTrack, of microphone: MicrophoneFeed, _ outputs: SessionOutputs,
        _ files: RecordedFiles, _ end: MediaTime
    ) -> Manifest.Track? {
        let place = outputs.places[track.name]
        guard let file = track.file?.relativePath ?? place?.file else { return nil }
        let wave = files.waves[track.name]
        guard wave != nil || place.map({ files.movies[$0.file] != nil }) ?? false else { return nil }
        let parts =
            wave.flatMap { self.parts($0) }
            ?? place.flatMap { self.parts(files.movies[$0.file], stream: $0.stream, of: nil) }
        let failure =
            wave?.failure ?? place.flatMap { files.movies[$0.file]?.failure } ?? files.conclusion
        let conclusion =
            wave?.conclusion.map { AudioGrid.samples.time(ofTick: $0) }
            ?? place.flatMap { files.movies[$0.file]?.conclusion }
        let begin = AudioGrid.samples.time(ofTick: track.first)
        let ended = track.end.map { AudioGrid.samples.time(ofTick: $0) }.flatMap {
            end == .zero || $0 < end ? $0 : nil
        }
        let last = min(ended ?? end, conclusion ?? end)
        return Manifest.Track(
            name: track.name, role: track.role == track.name ? nil : track.role, kind: "microphone",
            file: file, stream: place?.stream ?? 0, codec: track.file == nil ? "aac" : "pcm_s24le",
            channels: track.channels, first_ns: begin.nanoseconds,
            duration_ns: max(0, last.nanoseconds - begin.nanoseconds), ended_ns: ended?.nanoseconds,
            sound_ended_ns: Self.audioEnd(track.encoder), samples: samples(track, wave),
            loudness: isWhole(wave, place, files, track.encoder)
                ? track.loudness?.whole.map { Manifest.Loudness($0) } : nil,
            parts: parts?.map(\.file), part_details: parts,
            failure: failure?.description ?? track.encoder?.failure?.description ?? microphone.failure?
                .description
                ?? track.encoder?.failure?.description)
    }

    private func programTrack(
        _ outputs: SessionOutputs, _ files: RecordedFiles, _ end: MediaTime
    ) -> Manifest.Track? {
        guard let program = outputs.program, let planned = plan.program,
            let movie = files.movies[planned.file]
        else { return nil }
        let size = planned.settings.size
        let parts = self.parts(movie, stream: 0, of: (size, program.rate))
        let ended = outputs.failedEnds["program"].flatMap { end == .zero || $0 < end ? $0 : nil }
        // A program with audio goes on without frames.
        let last = outputs.mixEncoder == nil ? ended ?? end : end
        return Manifest.Track(
            name: "program", kind: "program", file: planned.file, stream: 0, codec: "h264",
            encoder: Manifest.Encoder(program.encoder, rate: program.rate, settings: planned.settings),
            width: size.width,
            height: size.height, rate: program.rate.perSecond, rotation: 0,
            color: Manifest.Color(matrix: "bt709", range: "limited"),
            channels: outputs.mixEncoder == nil ? nil : AudioGrid.mixChannels, first_ns: 0,
            duration_ns: min(last, movie.conclusion ?? end).nanoseconds, ended_ns: ended?.nanoseconds,
            sound_ended_ns: Self.audioEnd(outputs.mixEncoder),
            frames: Manifest.Frames(inFile(program.counts, files, (planned.file, 0))),
            loudness: isWhole(
                nil, outputs.mixLoudness.map { _ in (planned.file, 1) }, files, outputs.mixEncoder)
                ? outputs.mixLoudness?.whole.map { Manifest.Loudness($0) } : nil,
            parts: parts?.map(\.file), part_details: parts,
            failure: (movie.failure ?? files.conclusion)?.description ?? program.encoder.failure?.description
                ?? outputs.mixEncoder?.failure?.description)
    }

    /// Whether all audio of a stream is in its files, so that its measured loudness is the files'.
    private func isWhole(
        _ wave: FileResult<SegmentedWave>?, _ place: (file: String, stream: Int)?, _ files: RecordedFiles,
        _ encoder: AudioEncoderWorker?
    ) -> Bool {
        if let encoder, encoder.end != nil || !encoder.outages.isEmpty { return false }
        if let wave { return wave.failure == nil && wave.conclusion == nil && wave.silenced.isEmpty }
        guard let place, let movie = files.movies[place.file] else { return false }
        return movie.failure == nil && movie.conclusion == nil && files.shed(place).isEmpty
    }

    /// Returns the frame counts of a stream without the frames that a slow or failing disk, or an abandoned encoder, kept from
    /// the file.
    ///
    /// - Parameters:
    ///   - counts: The counts of the track's decisions.
    ///   - files: The closed files on the disk.
    ///   - place: The movie's path and the index of the stream in it.
    ///   - leadCount: Number of hidden frames before T0 in a copied stream; `nil` for a stream on a grid.
    /// - Returns: The counts of the frames in the file.
    private func inFile(
        _ counts: FrameCounts, _ files: RecordedFiles, _ place: (file: String, stream: Int),
        leadCount: Int? = nil
    ) -> FrameCounts {
        guard let movie = files.movies[place.file] else { return counts }
        let shed = files.shed(place).reduce(0) { $0 + $1.count }
        let taken = counts.leavingOut(shed, cause: .disk)
        let isWhole = movie.failure == nil && movie.splitFailure == nil && movie.conclusion == nil
        // A copied stream has no encoder, and its frames before T0 count as none.
        guard let leadCount else {
            return taken.endingAfter(movie.counts[place.stream], cause: isWhole ? .encoder : .disk)
        }
        return isWhole
            ? taken : taken.endingAfter(max(0, movie.counts[place.stream] - leadCount), cause: .disk)
    }

    /// Returns the gaps of all tracks that a slow disk caused.
    private func diskGaps(_ outputs: SessionOutputs, _ files: RecordedFiles) -> [Gap] {
        let cause = LossCause.disk.rawValue
        var gaps: [Gap] = []
        var places = outputs.cameraTracks.compactMap { track in
            outputs.places[track.name].map { (name: track.name, place: $0) }
        }
        places += outputs.microphoneTracks.compactMap { track in
            outputs.places[track.name].map { (name: track.name, place: $0) }
        }
        if let file = plan.program?.file {
            let streams = files.movies[file]?.shed.indices ?? 0..<0
            places += streams.map { (name: "program", place: (file: file, stream: $0)) }
        }
        for (name, place) in places {
            gaps += files.shed(place).map { Gap(track: name, from: $0.from, to: $0.to, cause: cause) }
        }
        for name in files.waves.keys.sorted() {
            gaps += (files.waves[name]?.silenced ?? []).map {
                Gap(
                    track: name, from: AudioGrid.samples.time(ofTick: $0.lowerBound),
                    to: AudioGrid.samples.time(ofTick: $0.upperBound), cause: cause)
            }
        }
        return gaps
    }

    /// Returns the gaps of all tracks that failed audio encoders caused, up to the recording's end.
    private func audioEncoderGaps(_ outputs: SessionOutputs, _ end: MediaTime) -> [Gap] {
        outputs.namedAudioEncoders.flatMap { name, worker in
            let stretches = worker.outages.map {
                (
                    AudioGrid.samples.time(ofTick: $0.samples.lowerBound),
                    AudioGrid.samples.time(ofTick: $0.samples.upperBound)
                )
            }
            let rest = worker.end.map { [(AudioGrid.samples.time(ofTick: $0.sample), end)] } ?? []
            return (stretches + rest).filter { $0.0 < $0.1 }.map {
                Gap(track: name, from: $0.0, to: $0.1, cause: LossCause.encoder.rawValue)
            }
        }
    }

    /// Returns the time at which a failed encoder ended its audio before the recording's end, in nanoseconds since T0, or `nil`
    /// when it did not.
    private static func audioEnd(_ encoder: AudioEncoderWorker?) -> Int64? {
        encoder?.end.map { AudioGrid.samples.time(ofTick: $0.sample).nanoseconds }
    }

    /// Returns the sample counts of a microphone's track without the samples that a slow or failing disk, or a failed encoder,
    /// kept from the file.
    ///
    /// Which of the missing samples were filled is not known any more, so captured samples are counted as missing first.
    private func samples(_ track: MicrophoneTrack, _ wave: FileResult<SegmentedWave>?) -> Manifest.Samples {
        var written = track.written
        var captured = written - track.filled
        // Dropped samples are silence. Some of them may have been filled silence before: these are not subtracted twice.
        captured -= min(captured, Int64(wave?.silenced.reduce(0) { $0 + $1.count } ?? 0))
        if let encoder = track.encoder {
            let silenced = encoder.outages.reduce(0) { $0 + Int64($1.samples.count) }
            captured -= min(captured, silenced + (encoder.end.map { max(0, written - $0.sample) } ?? 0))
        }
        if let wave, wave.failure != nil || wave.conclusion != nil {
            let missing = max(0, written - wave.sampleCount)
            written -= missing
            captured = max(0, captured - missing)
        }
        return Manifest.Samples(
            written: written, captured: captured, filled: written - captured, clipped: track.clipped)
    }

    private func cost(_ pressure: Manifest.Pressure?) -> Manifest.Cost? {
        var usage = rusage()
        guard clock.isRealTime, getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else {
            guard let pressure else { return manifest.cost }
            var cost = manifest.cost ?? Manifest.Cost()
            cost.pressure = pressure
            return cost
        }
        let seconds = Int64(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        let microseconds = Int64(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        var cost = manifest.cost ?? Manifest.Cost()
        cost.cpu_ns = (.seconds(seconds) + .microseconds(microseconds) - inputs.simulationTime).count
        cost.peak_memory_bytes = Int64(usage.ru_maxrss) * 1024
        cost.pressure = pressure
        return cost
    }

    /// Returns the files that continue a stream's first movie, or `nil` when there are none.
    ///
    /// `frames` is the frame size in the first file in pixels, and the rate of the grid, if the frames are on one; it is `nil`
    /// for audio.
    private func parts(
        _ result: FileResult<SegmentedMovie>?, stream: Int, of frames: (size: FrameSize, grid: FrameRate?)?
    ) -> [Manifest.Part]? {
        guard let result, !result.parts.isEmpty else { return nil }
        var size = frames?.size
        return result.parts.map { part in
            size = part.changes[stream]?.size ?? size
            // Frames begin at the first tick at or after the split.
            let start = frames?.grid.map { $0.time(ofTick: $0.ticks(before: part.start)) } ?? part.start
            return Manifest.Part(
                file: part.relativePath, first_ns: start.nanoseconds, width: size?.width, height: size?.height
            )
        }
    }

    private func parts(_ result: FileResult<SegmentedWave>) -> [Manifest.Part]? {
        guard !result.parts.isEmpty else { return nil }
        return result.parts.map {
            Manifest.Part(
                file: $0.relativePath, first_ns: AudioGrid.samples.time(ofTick: $0.firstSample).nanoseconds,
                width: nil,
                height: nil)
        }
    }

    private static var machine: Manifest.Machine {
        var name = utsname()
        uname(&name)
        let system = withUnsafeBytes(of: &name.sysname) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let release = withUnsafeBytes(of: &name.release) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let host = withUnsafeBytes(of: &name.nodename) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return Manifest.Machine(
            host: host.printable(), system: "\(system) \(release)".printable(),
            processors: ProcessInfo.processInfo.processorCount)
    }

    /// Formats a date in ISO 8601 with nine decimals of the second and the offset of the local time zone, such as
    /// `2026-01-31T12:00:00.000000000+01:00`.
    ///
    /// - Parameter date: The date; `Date` holds less than full nanosecond precision.
    /// - Returns: The date as text.
    package static func timeStamp(_ date: Date) -> String {
        let total = date.timeIntervalSince1970
        var seconds = time_t(total.rounded(.down))
        let fraction = Int64(rounding: (total - total.rounded(.down)) * 1e9, .down)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let offset = Int(parts.tm_gmtoff) / 60
        let date =
            "\((Int(parts.tm_year) + 1900).padded(4))-\((Int(parts.tm_mon) + 1).padded(2))-\(parts.tm_mday.padded(2))"
        let time =
            "\(parts.tm_hour.padded(2)):\(parts.tm_min.padded(2)):\(parts.tm_sec.padded(2))"
        let zone = "\(offset < 0 ? "-" : "+")\((abs(offset) / 60).padded(2)):\((abs(offset) % 60).padded(2))"
        return "\(date)T\(time).\(fraction.padded(9))\(zone)"
    }
}
