internal import Media

extension OutputAssembly {
    func makeSynchronizedLanes(_ microphones: [MicrophoneTrack]) -> [SynchronizedLane] {
        sinks.synchronized.map { output in
            SynchronizedLane(output, inputs: inputs.cameras, microphones: microphones, start: start)
        }
    }

    /// One for each camera whose metadata goes into a file or to a tap.
    func makeMetadataTracks() throws(FileError) -> [MetadataTrack] {
        var files: [String: [MetadataFile]] = [:]
        do throws(FileError) {
            for camera in plan.cameras {
                guard let name = camera.metadataFile else { continue }
                for disk in disks where disk.takes(isProgram: false) {
                    files[camera.role, default: []].append(
                        MetadataFile(
                            try LineFile(path: try disk.folder.file(name)), role: camera.role,
                            waitsForRoom: disk.waitsForRoom))
                }
            }
        } catch {
            for file in files.values.joined() { file.finish() }
            throw error
        }
        return inputs.cameras.compactMap { input in
            let taps = sinks.metadata.filter { $0.role == input.role }
            let own = files[input.role] ?? []
            guard !own.isEmpty || !taps.isEmpty else { return nil }
            return MetadataTrack(input: input, start: start, taps: taps, files: own)
        }
    }
}
