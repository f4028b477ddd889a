internal import Containers
internal import Encoders
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Plan
internal import SessionFolder
internal import Timing
internal import Writers

/// Closes the files of a recording, disk by disk, and reports the outcome. The encoders have finished before.
struct RecordingEnding {
    /// The plan as the recording began.
    let plan: SessionPlan
    /// The disks; the recording's own is the first.
    let disks: [RecordingDisk]
    /// The recording's files, encoders and tracks.
    let outputs: SessionOutputs
    /// End of the recording since T0: the time after the last tick.
    let end: MediaTime
    /// Builds each disk's final manifest.
    let manifest: ManifestBuilder
    /// The marks set during the recording.
    let marks: [Manifest.Mark]
    /// The stills taken during the recording.
    let stills: [Manifest.Still]
    /// Summary of the system pressure, or `nil` when it was not read.
    let pressure: Manifest.Pressure?
    /// The governor with its steps, or `nil` when none ran.
    let governor: Governor?
    /// The state of clocks and tracks, second by second, for the report.
    let history: SyncHistory
    /// Tells for each disk why its files end before the recording.
    let storage: StorageDirector
    /// Roles of the microphones that were silent for longer than the profile allows.
    let silenceExceeded: Set<String>
    /// Processor time that synthetic devices used; it is no part of the recording's cost.
    let simulationTime: Nanoseconds
    /// Receives each event, in order; it does not write to the session folders.
    let publish: (SessionEvent) -> Void
    /// Told how many files are closed, and of how many, whenever that changes.
    let tellClosed: (_ done: Int, _ total: Int) -> Void

    /// Waits until all files are closed and each disk has its final manifest.
    ///
    /// - Returns: The outcome of the recording.
    func finish() -> RecordingResult {
        let files = conclude()
        let concluded = disks.map { $0.folderWriter.waitForConclusion() }
        for disk in disks { tellOutcome(of: concluded, toDisk: disk) }
        return result(concluded, disks.map { (files[$0.index]?.failures ?? []) + $0.folderWriter.finish() })
    }

    /// Writes each disk's final manifest as soon as its files are closed, without waiting for other disks.
    ///
    /// - Returns: The closed files of each disk, by the disk's index.
    private func conclude() -> [Int: RecordedFiles] {
        let closings = DiskClosings(outputs)
        var files: [Int: RecordedFiles] = [:]
        var count = 0
        tellClosed(count, closings.fileCount)
        for _ in disks {
            let closed = closings.next {
                count += 1
                tellClosed(count, closings.fileCount)
            }
            let disk = closed.disk
            for event in outputs.metadata.flatMap({ $0.conclude(at: end) }) {
                publish(event)
                // After the event `finished` nothing follows.
                for open in disks where files[open.index] == nil { open.folderWriter.append(event) }
            }
            let own = RecordedFiles(
                withoutUnbegun(closed), conclusion: storage.conclusion(ofDisk: disk.index))
            files[disk.index] = own
            let other = disks.first { $0 !== disk }.map {
                Manifest.OtherFolder(
                    folder: $0.folder.path.printable(),
                    outcome: $0.folderWriter.conclusionSoFar?.outcome ?? .recording)
            }
            var manifest = manifest
            let final = manifest.finished(
                outputs: outputs, files: own, end: end,
                outcome: own.failures.isEmpty ? .finished : .storageFailed, marks: marks,
                stills: stills, pressure: pressure, governor: governor,
                silenceExceeded: silenceExceeded, other: other)
            let report = SyncReport(manifest: final, history: history).document
            disk.folderWriter.conclude(final, report: Data(report.utf8))
        }
        return files
    }

    /// The closed files without those of tracks that were to begin when the recording was over: they are empty, and are removed.
    private func withoutUnbegun(_ closed: DiskClosings.Closed) -> DiskClosings.Closed {
        let cameras = outputs.cameraTracks.filter { track in
            track.counts.written == 0 && outputs.begins[track.name].map { $0 >= end } ?? false
        }.compactMap { outputs.places[$0.name]?.file }
        let microphones = outputs.microphoneTracks.filter {
            $0.written == 0 && $0.first > 0 && AudioGrid.samples.time(ofTick: $0.first) >= end
        }
        for path in cameras + microphones.compactMap(\.file?.relativePath) {
            unlink("\(closed.disk.folder.path)/\(path)")
        }
        return DiskClosings.Closed(
            disk: closed.disk, movies: closed.movies.filter { !cameras.contains($0.key) },
            waves: closed.waves.filter { wave in !microphones.contains { $0.name == wave.key } })
    }

    /// Writes the other disk's outcome into the manifest of a disk that was closed before that outcome was known.
    private func tellOutcome(of concluded: [Manifest], toDisk disk: RecordingDisk) {
        let end = MediaTime(nanoseconds: concluded[disk.index].duration_ns)
        for remark in disk.folderWriter.takeRemarks() {
            publish(SessionEvent(.warning, at: end, ["text": .string(remark.description)]))
        }
        var manifest = concluded[disk.index]
        guard let other = disks.first(where: { $0 !== disk }), let told = manifest.other_folder,
            told.outcome != concluded[other.index].outcome
        else { return }
        manifest.other_folder?.outcome = concluded[other.index].outcome
        disk.folderWriter.write(manifest)
    }

    private func result(_ concluded: [Manifest], _ failures: [[FileError]]) -> RecordingResult {
        let copy = disks.dropFirst().first.map {
            RecordingResult.Copy(
                folder: $0.folder.path, content: $0.content, storageFailures: failures[$0.index])
        }
        var manifest = concluded[0]
        // Writing the manifest may be what failed last.
        if !failures[0].isEmpty { manifest.outcome = .storageFailed }
        if concluded.count > 1 { manifest.other_folder?.outcome = concluded[1].outcome }
        return RecordingResult(
            folder: disks[0].folder.path, manifest: manifest, storageFailures: failures[0], copy: copy,
            pressureEnd: governor?.endReason,
            simulationTime: simulationTime,
            encodingFailures: outputs.encoderWorkers.compactMap(\.failure)
                + outputs.namedAudioEncoders.compactMap(\.worker.failure)
                + outputs.microphones.compactMap(\.failure))
    }
}
