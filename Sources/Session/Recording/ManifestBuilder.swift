internal import FoundationEssentials
internal import Glibc
internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamSessionFolder
internal import MulticamTiming
internal import MulticamWriters

/// Builds a recording's manifest: its devices, tracks, files, counts and outcome.
package struct ManifestBuilder {
    private var manifest: Manifest
    /// The plan with all cameras, microphones and tracks that have been part of the recording. The plan lists
    /// each camera, microphone and track in its initial state, because a file keeps its orientation until it
    /// ends.
    private var plan: SessionPlan
    private let inputs: SessionInputs
    private let liveOutputs: LiveOutputRegistry
    private let clock: any SessionClock
    private let start: ClockTime

    /// Creates the manifest of a recording that is beginning.
    ///
    /// - Parameters:
    ///   - context: Plan, options, devices and disks of the recording.
    ///   - start: T0, the start time of the recording, on the session's clock.
    ///   - delay: The alignment delay: time from an instant until the tick at that instant is processed.
    init(_ context: RecordingContext, start: ClockTime, delay: Nanoseconds) {
        plan = context.plan
        inputs = context.inputs
        liveOutputs = context.liveOutputs
        self.start = start
        clock = context.clock
        manifest = Manifest(
            multicam: context.options.version, profile: context.plan.profile,
            started: Manifest.timeStamp(clock.date(of: start)),
            t0_monotonic_ns: clock.stamp(of: start).nanoseconds,
            duration_ns: 0, alignment_delay_ns: delay.count, outcome: .recording, machine: Self.machine,
            limits: Manifest.Limits(context.plan.limits), devices: [],
            tracks: [], cost: Manifest.Cost(context.options.reduction), governor: [], markers: [], gaps: [])
        manifest.title = plan.editing?.title
        manifest.edit = plan.editing.flatMap { $0.formats.isEmpty ? nil : $0.formats.map(\.rawValue) }
        manifest.people = plan.editing.flatMap { $0.people.isEmpty ? nil : $0.people }
        recordDevices()
    }

    /// Returns the manifest of a running recording, which recovery uses after a crash. The manifest contains the
    /// devices, and a disk's tracks without their counts.
    ///
    /// - Parameters:
    ///   - outputs: The recording's files, encoders and tracks.
    ///   - disk: The disk that receives the manifest in its session folder.
    /// - Returns: The manifest, with the outcome `recording`.
    func current(_ outputs: SessionOutputs, on disk: RecordingDisk) -> Manifest {
        let files = RecordedFiles(beginning: outputs, on: disk)
        var current = manifest
        current.live_outputs = []
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

    /// Adds the devices and tracks of a changed plan that are not in the manifest yet.
    ///
    /// - Parameter running: The current plan of the recording.
    mutating func merge(_ running: SessionPlan) {
        let roles = Set(plan.cameras.map(\.role) + plan.microphones.map(\.role))
        let names = Set(plan.cameraTracks.map(\.name))
        plan.cameras += running.cameras.filter { !roles.contains($0.role) }
        plan.microphones += running.microphones.filter { !roles.contains($0.role) }
        plan.cameraTracks += running.cameraTracks.filter { !names.contains($0.name) }
    }

    /// Adds the changes that took effect before a time, and the program's arrangements.
    mutating func recordChanges(_ changes: ChangeDirector, before time: MediaTime) {
        let made = changes.changes(before: time)
        let shown = changes.arrangements(before: time)
        manifest.changes = made.isEmpty ? nil : made
        manifest.arrangements = shown.isEmpty ? nil : shown
        let framings = changes.framings(before: time)
        manifest.framings = framings.isEmpty ? nil : framings
    }

    /// Adds the devices with the current state of their clocks to the manifest.
    mutating func recordDevices() {
        manifest.devices = RecordedDevices(plan: plan, inputs: inputs, start: start).entries
    }

    /// Returns the manifest of a disk's session folder for a recording that has ended.
    ///
    /// - Parameters:
    ///   - outputs: The recording's files, encoders and tracks.
    ///   - files: The closed files on the disk.
    ///   - end: End of the recording relative to T0.
    ///   - outcome: Whether the files on the disk are complete.
    ///   - markers: The markers, in any order.
    ///   - stills: The stills taken during the recording.
    ///   - pressure: Summary of the system pressure, or `nil` if the pressure was not monitored.
    ///   - governor: The governor, or `nil` if no governor ran.
    ///   - silenceExceeded: Roles of the microphones that were silent for longer than the profile allows.
    ///   - other: The other disk's session folder, or `nil` when there is none.
    /// - Returns: The final manifest of the session folder.
    mutating func finish(
        outputs: SessionOutputs, files: RecordedFiles, end: MediaTime, outcome: Manifest.Outcome,
        markers: [Manifest.Marker], stills: [Manifest.Still],
        pressure: Manifest.Pressure?,
        governor: Governor?,
        silenceExceeded: Set<String>,
        other: Manifest.OtherFolder?
    ) -> Manifest {
        if !silenceExceeded.isEmpty { manifest.limits?.silent = silenceExceeded.sorted() }
        manifest.duration_ns = end.nanoseconds
        manifest.outcome = outcome
        recordContent(outputs)
        manifest.group_time = (clock as? SteeredClock)?.summary.map { Manifest.GroupTime($0) }
        manifest.markers = markers.sorted { $0.at_ns < $1.at_ns }
        manifest.stills = stills.isEmpty ? nil : stills
        manifest.tracks = cameraTracks(outputs, files, end) + microphoneTracks(outputs, files, end)
        if let program = programTrack(outputs, files, end) { manifest.tracks.append(program) }
        manifest.files = files.entries(
            waveFiles: Dictionary(
                uniqueKeysWithValues: outputs.microphoneTracks.compactMap { track in
                    track.file.map { (track.name, $0.relativePath) }
                }))
        manifest.live_outputs = liveOutputs.recorded(from: start, to: start + Nanoseconds(end.nanoseconds))
        manifest.cost = cost(pressure)
        manifest.governor = governor?.steps ?? []
        manifest.ended_by = governor?.endReason ?? files.conclusion?.description
        manifest.other_folder = other
        manifest.gaps =
            RecordedGaps(
                outputs: outputs, files: files, programFile: plan.program?.file, end: end
            ).all
        return manifest
    }

    /// Marks the devices that delivered only silence, or only a frozen or black picture.
    private mutating func recordContent(_ outputs: SessionOutputs) {
        for index in manifest.devices.indices {
            let device = manifest.devices[index]
            if device.kind == "microphone" {
                let isSilent = outputs.microphones.contains { $0.role == device.role && $0.isSilent }
                manifest.devices[index].content = isSilent ? .silent : nil
            } else {
                // If a camera was replaced, only the content of the last camera is known.
                let isPresent = manifest.devices.lastIndex { $0.role == device.role } == index
                let camera = inputs.cameras.first { $0.role == device.role }
                manifest.devices[index].content = isPresent ? camera?.content : nil
            }
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
            let begin = outputs.startTimes[track.name] ?? .zero
            let first = (track as? CopiedStreamTrack)?.firstTime ?? begin
            let ended = [outputs.endTimes[track.name], outputs.failedEndTimes[track.name]].compactMap(\.self)
                .min()
                .flatMap { end == .zero || $0 < end ? $0 : nil }
            let last = min(ended ?? end, movie.conclusion ?? end)
            let parts = self.parts(
                movie, stream: place.stream, of: (planned.settings.size, isStream ? nil : track.rate))
            var described = Manifest.Track(
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
                variable_rate: isStream ? true : nil,
                frames: Manifest.Frames(track.counts(in: movie.ledgers[place.stream])),
                parts: parts?.map(\.file), part_details: parts,
                failure: (movie.failure ?? files.conclusion)?.description
                    ?? (track as? EncodedTrack)?.encoder.failure?.description)
            described.pixel_aspect = planned.pixelAspect?.description
            if planned.mode == .encode, planned.settings.hardware == nil {
                described.encoder?.preset = planned.settings.preset.rawValue
            }
            return described
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
        guard
            let samples = (wave?.ledgers[0] ?? place.flatMap { files.movies[$0.file]?.ledgers[$0.stream] })?
                .written.samples
        else { return nil }
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
            sound_ended_ns: Self.audioEnd(track.encoder),
            samples: Manifest.Samples(samples, clipped: track.clipped),
            loudness: samples == track.counts
                ? track.loudness?.completeLoudness.map { Manifest.Loudness($0) } : nil,
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
        let ended = outputs.failedEndTimes["program"].flatMap { end == .zero || $0 < end ? $0 : nil }
        // A program with audio continues even after its video has ended.
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
            frames: Manifest.Frames(program.counts(in: movie.ledgers[0])),
            missing: Self.countsByCause(program.missing),
            // The loudness of the mix applies only to a file that contains the whole mix.
            loudness: outputs.mixEncoder?.receivedCounts == movie.ledgers.last?.written.samples
                ? outputs.mixLoudness?.completeLoudness.map { Manifest.Loudness($0) } : nil,
            parts: parts?.map(\.file), part_details: parts,
            failure: (movie.failure ?? files.conclusion)?.description ?? program.encoder.failure?.description
                ?? outputs.mixEncoder?.failure?.description)
    }

    private static func countsByCause(_ missing: [String: [LossCause: Int]]) -> [String: [String: Int]]? {
        guard !missing.isEmpty else { return nil }
        return missing.mapValues { causes in
            Dictionary(uniqueKeysWithValues: causes.map { ($0.key.rawValue, $0.value) })
        }
    }

    /// Returns the time, in nanoseconds since T0, when a stream's audio ended early because its encoder
    /// failed. Returns `nil` if the audio lasts until the end of the recording.
    private static func audioEnd(_ encoder: AudioEncoderWorker?) -> Int64? {
        encoder?.earlyEnd.map { AudioGrid.samples.time(ofTick: $0.sample).nanoseconds }
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
    /// `frames` contains the frame size of the first file, in pixels, and the rate of the grid if the frames
    /// are on a grid. For audio, `frames` is `nil`.
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
}
