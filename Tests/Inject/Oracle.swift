import Foundation
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamTiming

/// Checks invariants that hold for every fault, by comparing a recording with a fault to the same recording without it.
struct Oracle {
    let baseline: Bench.Outcome

    private static let folders = ["a/session", "b/session"]
    /// Maximum number of new events per fault, in addition to one per lost frame.
    private static let mostEvents = 24
    private static let mostMemory = 192 << 20

    /// Returns the violated invariants.
    func breaches(_ outcome: Bench.Outcome, _ fault: Fault) -> [String] {
        var breaches: [String] = []
        if outcome.descriptorGrowth > 0 {
            breaches.append("leak: \(outcome.descriptorGrowth) descriptors are open that were not before")
        }
        if outcome.memoryGrowth > Self.mostMemory {
            breaches.append("memory: it grew by \(outcome.memoryGrowth >> 20) MB")
        }
        switch outcome.result {
        case .failure(let error): breaches += refusalBreaches(outcome, error)
        case .success(let result):
            let seam = Seam(name: fault.seam)
            breaches +=
                unaffectedFileBreaches(outcome, seam, fault) + accountingBreaches(outcome, result)
                + eventBreaches(outcome, result)
            breaches += exitBreaches(result)
            if let told = onDisk(outcome, result, seam) { breaches.append(told) }
        }
        return breaches
    }

    /// Checks a recording that was refused before it began. It must not leave any files.
    private func refusalBreaches(_ outcome: Bench.Outcome, _ error: any Error) -> [String] {
        var breaches: [String] = []
        if outcome.events.contains(where: { $0.name == .started }) {
            breaches.append("exit: a recording that had begun was thrown away: \(error)")
        }
        if !(error is RecordingError) { breaches.append("exit: an error of no documented kind: \(error)") }
        let left = outcome.files.keys.filter { !$0.hasSuffix(".ndjson") && !$0.contains("manifest") }
        if !left.isEmpty { breaches.append("left: \(left.sorted().joined(separator: ", "))") }
        return breaches
    }

    /// Checks that files that don't depend on the faulty component are identical.
    private func unaffectedFileBreaches(_ outcome: Bench.Outcome, _ seam: Seam, _ fault: Fault) -> [String] {
        guard let touched = seam.touched else { return [] }
        return baseline.files.keys.sorted().compactMap { path in
            guard let folder = Self.folders.first(where: { path.hasPrefix($0 + "/") }),
                ["mov", "mp4", "wav"].contains(path.split(separator: ".").last ?? ""),
                !isTouched(path, folder, seam.path, fault),
                !touched.contains(where: { path.dropFirst(folder.count + 1).hasPrefix($0) })
            else { return nil }
            guard let data = outcome.files[path] else { return "others: \(path) is missing" }
            guard data != baseline.files[path] else { return nil }
            // Interleaving of streams in one file depends on thread timing.
            if let film = MovieStreams(data), let other = baseline.files[path].flatMap(MovieStreams.init) {
                if film.streams == other.streams { return nil }
            }
            return "others: \(path) is not as without the fault"
        }
    }

    /// Returns whether a fault in one file may affect another file: its parts, the files inside it if it is a folder,
    /// and all files if the disk is full.
    private func isTouched(_ path: String, _ folder: String, _ faulty: String?, _ fault: Fault) -> Bool {
        guard let faulty else { return false }
        // A write of zero bytes indicates a full disk.
        let isFull =
            Self.isFull.contains(fault.kind)
            || fault.kind == "nothing" && Seam(name: fault.seam).family == "file.write"
        if isFull, faulty.hasPrefix(folder) { return true }
        return Self.stem(faulty) == Self.stem(path) || path.hasPrefix(faulty + "/")
    }

    private static let isFull: Set<String> = ["ENOSPC", "EDQUOT"]

    /// Returns the file's path without part number and extension.
    private static func stem(_ path: String) -> String {
        let name = path.split(separator: ".").first.map(String.init) ?? path
        return name.hasSuffix("-2") ? String(name.dropLast(2)) : name
    }

    /// Checks that all frames and samples are accounted for, and that all files match the manifest.
    private func accountingBreaches(_ outcome: Bench.Outcome, _ result: RecordingResult) -> [String] {
        var breaches: [String] = []
        for (folder, manifest) in manifests(outcome, result) {
            for track in manifest.tracks {
                breaches += accountingBreaches(of: track, manifest, folder, outcome).map {
                    "accounts: \(folder) \(track.name): \($0)"
                }
            }
            let names = Set(manifest.tracks.map(\.name))
            for missing in Set(baselineTracks.keys).subtracting(names).sorted() {
                breaches.append("accounts: \(folder): the track \(missing) is not in the manifest")
            }
        }
        return breaches
    }

    private func accountingBreaches(
        of track: Manifest.Track, _ manifest: Manifest, _ folder: String, _ outcome: Bench.Outcome
    ) -> [String] {
        var breaches: [String] = []
        let paths = ([track.file] + (track.parts ?? [])).map { folder + "/" + $0 }
        let files = (manifest.files ?? []).filter { paths.contains(folder + "/" + $0.file) }
        let isFinished = !files.isEmpty && files.allSatisfy(\.verified) && files.count == paths.count
        if !isFinished, track.failure == nil, manifest.outcome == .finished {
            breaches.append("a file is not whole, and nothing says so")
        }
        if let frames = track.frames {
            if frames.written != frames.captured - frames.decimated + frames.duplicated + frames.slate {
                breaches.append("written is not captured − decimated + duplicated + slate: \(frames)")
            }
            let all = [frames.written, frames.captured, frames.decimated, frames.duplicated, frames.slate]
            if (all + frames.lost.values).contains(where: { $0 < 0 || $0 > 100_000 }) {
                breaches.append("a count that cannot be: \(frames)")
            }
            if isFinished {
                let shown = paths.map { Self.shownCount(outcome.files[$0] ?? Data()) }.reduce(0, +)
                if shown != frames.written {
                    breaches.append("\(frames.written) written, \(shown) in the file")
                }
            }
            let rate = track.rate ?? 0
            let ticks = Int((Double(manifest.duration_ns) / 1e9 * rate - 1e-6).rounded(.up))
            let isWhole = track.failure == nil && manifest.outcome == .finished
            let lost = frames.lost.values.reduce(0, +)
            if track.kind == "program", lost > ticks {
                breaches.append("\(lost) frames lost in \(ticks) ticks")
            }
            if track.variable_rate != true, isWhole, frames.written != ticks {
                breaches.append("\(frames.written) frames in \(ticks) ticks")
            }
        }
        if let samples = track.samples {
            if samples.written != samples.captured + samples.silence || samples.captured < 0
                || samples.silence < 0
            {
                breaches.append("samples that do not add up: \(samples)")
            }
            if isFinished {
                let bytes = paths.map { Self.audioBytes(outcome.files[$0] ?? Data()) }.reduce(0, +)
                let held = bytes / 3 / (track.channels ?? 1)
                if held != Int(samples.written) {
                    breaches.append("\(samples.written) samples written, \(held) in the file")
                }
            }
            let wanted = (manifest.duration_ns * 48 + 500_000) / 1_000_000
            if track.failure == nil, manifest.outcome == .finished, samples.written != wanted {
                breaches.append("\(samples.written) samples in place of \(wanted)")
            }
        }
        return breaches
    }

    /// Checks that every difference from the recording without the fault is reported by an event, but without too many
    /// events.
    private func eventBreaches(_ outcome: Bench.Outcome, _ result: RecordingResult) -> [String] {
        func lines(_ events: [SessionEvent]) -> [String: Int] {
            events.reduce(into: [:]) { $0["\($1.content)", default: 0] += 1 }
        }
        let (before, now) = (lines(baseline.events), lines(outcome.events))
        let new = now.reduce(0) { $0 + max(0, $1.value - (before[$1.key] ?? 0)) }
        var breaches: [String] = []
        let lost = result.manifest.tracks.compactMap(\.frames).flatMap(\.lost.values).reduce(0, +)
        if new > Self.mostEvents + lost { breaches.append("events: \(new) new ones for one cause") }
        let changed = result.manifest.tracks.filter { track in
            guard let old = baselineTracks[track.name] else { return true }
            return old.frames?.lost != track.frames?.lost || old.frames?.slate != track.frames?.slate
                || old.samples?.silence != track.samples?.silence || old.failure != track.failure
        }
        let failed = !result.storageFailures.isEmpty || !(result.backup?.storageFailures.isEmpty ?? true)
        // The gap of a device that disconnected before T0 is in the manifest, but its event precedes the recording.
        let explained = Set(result.manifest.gaps.filter { $0.from <= .zero }.map(\.track))
        if !changed.allSatisfy({ explained.contains($0.name) }), new == 0, !failed {
            breaches.append(
                "events: nothing tells what became of \(changed.map(\.name).joined(separator: ", "))")
        }
        return breaches
    }

    /// Checks the documented exit status: 7 for storage, 1 for encoders, 6 for losses above the limit, 0 if everything
    /// is complete.
    private func exitBreaches(_ result: RecordingResult) -> [String] {
        var breaches: [String] = []
        let backupFailures = result.backup?.storageFailures ?? []
        let failed = result.manifest.tracks.filter { $0.failure != nil }
        if result.isStored, result.encodingFailures.isEmpty, !failed.isEmpty {
            breaches.append(
                "exit: \(failed.map(\.name).joined(separator: ", ")) failed, and the status is that of success"
            )
        }
        if result.manifest.outcome == .finished, !result.storageFailures.isEmpty {
            breaches.append("exit: storage failed, and the outcome is `finished`: \(result.storageFailures)")
        }
        for track in result.manifest.tracks {
            guard let frames = track.frames else { continue }
            let lost = frames.lost.values.reduce(0, +)
            let isBeyond = Double(lost) > 0.05 * Double(frames.captured + lost)
            let isTold = result.exceededLimits.contains { $0.contains("\(track.name) is missing ") }
            if isBeyond != isTold {
                breaches.append("exit: \(track.name) lost \(lost) frames, and the status does not follow")
            }
        }
        if result.isStored, !backupFailures.isEmpty {
            breaches.append("exit: the backup failed without a report")
        }
        return breaches
    }

    /// Checks that the manifest on disk equals the returned one, unless the disk failed.
    private func onDisk(_ outcome: Bench.Outcome, _ result: RecordingResult, _ seam: Seam) -> String? {
        guard result.storageFailures.isEmpty else { return nil }
        guard let data = outcome.files["a/session/manifest.json"] else { return "manifest: it is missing" }
        do {
            let read = try JSONText.decoder().decode(Manifest.self, from: data)
            return read.tracks == result.manifest.tracks && read.outcome == result.manifest.outcome
                ? nil : "manifest: on the disk it says something else"
        } catch {
            return "manifest: it cannot be read: \(error)"
        }
    }

    private func manifests(_ outcome: Bench.Outcome, _ result: RecordingResult) -> [(String, Manifest)] {
        [("a/session", result.manifest)]
            + (outcome.files["b/session/manifest.json"].flatMap {
                try? JSONText.decoder().decode(Manifest.self, from: $0)
            }.map { [("b/session", $0)] } ?? [])
    }

    private var baselineTracks: [String: Manifest.Track] {
        guard case .success(let result) = baseline.result else { return [:] }
        return Dictionary(uniqueKeysWithValues: result.manifest.tracks.map { ($0.name, $0) })
    }

    /// Returns the number of frames in the first stream of a finished movie, which is the video.
    private static func shownCount(_ data: Data) -> Int {
        MovieStreams(data)?.streams.first.map { $0.packetSizes.count - $0.hiddenCount } ?? -1
    }

    private static func audioBytes(_ data: Data) -> Int {
        guard let chunk = data.range(of: Data("data".utf8)) else { return -1 }
        return number(Data(data[chunk.upperBound..<chunk.upperBound + 4].reversed()), 0)
    }

    private static func number(_ data: Data, _ place: Int) -> Int {
        guard data.count >= place + 4 else { return -1 }
        return (0..<4).reduce(0) { $0 << 8 | Int(data[data.startIndex + place + $1]) }
    }
}
