internal import Media

extension OutputAssembly {
    func makeSynchronizedLanes(_ microphones: [MicrophoneFeed], start: ClockTime) -> [SynchronizedLane] {
        sinks.synchronized.map { output in
            SynchronizedLane(output, inputs: inputs.cameras, microphones: microphones, start: start)
        }
    }

    /// By camera, one in each folder. A safety copy's is made by its thread.
    func makeMetadataFiles() throws(FileError) -> [String: [(disk: Int, file: MetadataFile)]] {
        var files: [String: [(disk: Int, file: MetadataFile)]] = [:]
        do throws(FileError) {
            for camera in plan.cameras {
                guard let name = camera.metadataFile else { continue }
                for disk in disks where disk.takes(isProgram: false) {
                    let folder = disk.folder
                    let make: @Sendable () throws(FileError) -> LineFile = { () throws(FileError) in
                        try LineFile(path: try folder.file(name))
                    }
                    let file =
                        disk.isCopy
                        ? MetadataFile(role: camera.role, waitsForRoom: disk.waitsForRoom, making: make)
                        : MetadataFile(try make(), role: camera.role, waitsForRoom: disk.waitsForRoom)
                    files[camera.role, default: []].append((disk.index, file))
                }
            }
        } catch {
            for place in files.values.joined() {
                place.file.finish()
                place.file.join()
            }
            throw error
        }
        return files
    }

    /// One for each camera whose metadata goes into a file or to a tap.
    func makeMetadataTracks(
        _ files: [String: [(disk: Int, file: MetadataFile)]], start: ClockTime
    ) -> [MetadataTrack] {
        inputs.cameras.compactMap { input in
            let taps = sinks.metadata.filter { $0.role == input.role }
            let own = files[input.role] ?? []
            guard !own.isEmpty || !taps.isEmpty else { return nil }
            return MetadataTrack(input: input, start: start, taps: taps, files: own)
        }
    }
}
