internal import MulticamEncoders
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamTiming
internal import MulticamWriters

/// The gaps in the tracks on one disk, for the manifest.
struct RecordedGaps {
    let outputs: SessionOutputs
    /// The closed files on the disk.
    let files: RecordedFiles
    /// Path of the program's first file; `nil` without a program.
    let programFile: String?
    /// End of the recording since T0.
    let end: MediaTime

    /// The gaps of the devices, followed by the gaps caused by the program, the disk and the audio encoders.
    var all: [Gap] {
        outputs.cameraTracks.flatMap(\.gaps) + outputs.microphones.flatMap(\.gaps)
            + (outputs.program?.gaps ?? []) + diskGaps + audioEncoderGaps
    }

    /// The gaps in all tracks caused by a slow disk.
    private var diskGaps: [Gap] {
        let cause = LossCause.disk.rawValue
        var gaps: [Gap] = []
        var places = outputs.cameraTracks.compactMap { track in
            outputs.places[track.name].map { (name: track.name, place: $0) }
        }
        places += outputs.microphoneTracks.compactMap { track in
            outputs.places[track.name].map { (name: track.name, place: $0) }
        }
        if let file = programFile {
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

    /// The gaps in all tracks caused by failed audio encoders, up to the recording's end.
    private var audioEncoderGaps: [Gap] {
        outputs.namedAudioEncoders.flatMap { name, worker in
            let stretches = worker.outages.map {
                (
                    AudioGrid.samples.time(ofTick: $0.samples.lowerBound),
                    AudioGrid.samples.time(ofTick: $0.samples.upperBound)
                )
            }
            let rest = worker.earlyEnd.map { [(AudioGrid.samples.time(ofTick: $0.sample), end)] } ?? []
            return (stretches + rest).filter { $0.0 < $0.1 }.map {
                Gap(track: name, from: $0.0, to: $0.1, cause: LossCause.encoder.rawValue)
            }
        }
    }
}
