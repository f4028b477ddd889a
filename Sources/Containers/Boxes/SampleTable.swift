/// Writes the sample table of a complete track, which contains the position and time of each sample (`stbl`,
/// ISO/IEC 14496-12, 8.5 to 8.7).
struct SampleTable {
    let description: SampleDescription
    let index: SampleIndex

    func write(into buffer: inout BoxBuffer) {
        buffer.box("stbl") { box in
            description.write(into: &box)
            writeDurations(into: &box)
            writeCompositionOffsets(into: &box)
            writeKeys(into: &box)
            writeRoll(into: &box)
            writeChunks(into: &box)
            writeSizes(into: &box)
        }
    }

    private func writeDurations(into buffer: inout BoxBuffer) {
        var durations = index.durations
        if index.sampleCount > 0 { durations.append(UInt32(clamping: index.lastDuration)) }
        writeRuns(of: durations, as: "stts", into: &buffer)
    }

    private func writeCompositionOffsets(into buffer: inout BoxBuffer) {
        guard !index.compositionOffsets.isAllZero else { return }
        writeRuns(of: index.compositionOffsets, as: "ctts", into: &buffer)
    }

    private func writeRuns(of numbers: RunLengths, as type: String, into buffer: inout BoxBuffer) {
        buffer.fullBox(type) { box in
            box.put32(UInt32(numbers.runs.count))
            for run in numbers.runs {
                box.put32(run.count)
                box.put32(run.value)
            }
        }
    }

    private func writeKeys(into buffer: inout BoxBuffer) {
        guard let keys = index.keys else { return }
        buffer.fullBox("stss") { box in
            box.put32(UInt32(keys.count))
            for key in keys { box.put32(key) }
        }
    }

    /// Declares that decoding an AAC packet requires the previous packet (`roll` −1, ISO/IEC 14496-12, 10.1).
    /// When players seek, they therefore start decoding one packet earlier.
    private func writeRoll(into buffer: inout BoxBuffer) {
        guard case .audio = description.track, description.kind == .mp4, index.sampleCount > 0 else { return }
        buffer.fullBox("sgpd", version: 1) { box in
            box.put(code: "roll")
            box.put32(2)  // bytes per entry
            box.put32(1)
            box.put16(UInt16(bitPattern: -1))
        }
        buffer.fullBox("sbgp") { box in
            box.put(code: "roll")
            box.put32(1)
            box.put32(UInt32(index.sampleCount))
            box.put32(1)
        }
    }

    private func writeChunks(into buffer: inout BoxBuffer) {
        buffer.fullBox("stsc") { box in
            box.put32(UInt32(index.chunkSampleCounts.runs.count))
            var chunk: UInt32 = 1
            for run in index.chunkSampleCounts.runs {
                box.put32(chunk)
                box.put32(run.value)
                box.put32(1)  // index of the only sample description
                chunk += run.count
            }
        }
        buffer.fullBox("co64") { box in
            box.put32(UInt32(index.chunkOffsets.count))
            for offset in index.chunkOffsets { box.put64(offset) }
        }
    }

    private func writeSizes(into buffer: inout BoxBuffer) {
        buffer.fullBox("stsz") { box in
            box.put32(0)  // 0, because the sizes differ
            box.put32(UInt32(index.sampleCount))
            for size in index.sizes { box.put32(size) }
        }
    }
}
