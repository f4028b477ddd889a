internal import Inputs
internal import Media
internal import Plan
internal import SessionFolder
internal import Writers

extension OutputAssembly {
    /// Makes the worker of each synchronised output.
    func makeSynchronizedLanes(_ microphones: [MicrophoneFeed], start: ClockTime) -> [SynchronizedWorker] {
        sinks.synchronized.map { output in
            SynchronizedWorker(output, inputs: inputs.cameras, microphones: microphones, start: start)
        }
    }

    /// Makes the metadata files of each camera, by role, one in each folder. The thread of a safety copy's file makes
    /// it later.
    func makeMetadataFiles() throws(FileError) -> [String: [(disk: Int, file: MetadataFile)]] {
        var files: [String: [(disk: Int, file: MetadataFile)]] = [:]
        do throws(FileError) {
            for camera in plan.cameras {
                guard let name = camera.metadataFile else { continue }
                for disk in disks where disk.takes(isProgram: false) {
                    let file =
                        disk.isCopy
                        ? disk.laterMetadataFile(named: name, of: camera.role)
                        : try disk.metadataFile(named: name, of: camera.role)
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

    /// Makes a metadata track for each camera, whose taps may come later.
    func makeMetadataTracks(
        _ files: [String: [(disk: Int, file: MetadataFile)]], start: ClockTime
    ) -> [MetadataTrack] {
        inputs.cameras.map { input in
            MetadataTrack(input: input, start: start, taps: sinks.taps, files: files[input.role] ?? [])
        }
    }
}

extension RecordingDisk {
    /// Makes a camera's metadata file in the disk's folder.
    ///
    /// - Throws: `FileError` when the file cannot be made.
    func metadataFile(named name: String, of role: String) throws(FileError) -> MetadataFile {
        let path = try folder.file(name)
        return MetadataFile(try LineFile(path: path), role: role, waitsForRoom: waitsForRoom)
    }

    /// Makes a camera's metadata file later, on the file's own thread. A failure to make it ends this file alone.
    func laterMetadataFile(named name: String, of role: String) -> MetadataFile {
        let folder = folder
        return MetadataFile(role: role, waitsForRoom: waitsForRoom) { () throws(FileError) in
            try LineFile(path: try folder.file(name))
        }
    }
}
