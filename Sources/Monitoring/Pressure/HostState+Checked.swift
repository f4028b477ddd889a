package import Media

extension HostState {
    /// The state without impossible figures, such as a share that is not a number; `missing` names those that were left out.
    package func checked() -> HostState {
        var state = self
        func omit(_ source: MissingSource.Source, _ part: String? = nil) {
            state.missing.append(MissingSource(source, part: part, "it says what cannot be"))
        }
        state.stalls = stalls.filter { stall in
            if stall.isPossible { return true }
            omit(stall.source)
            return false
        }
        state.zones = zones.filter { zone in
            if zone.isPossible { return true }
            omit(.temperature, zone.name)
            return false
        }
        if let speed, !speed.isPossible {
            state.speed = nil
            omit(.speed)
        }
        if let share, !share.isPossible {
            state.share = nil
            omit(.share)
        }
        if let power, !power.isPossible {
            state.power = nil
            omit(.power)
        }
        if let disk, !disk.isPossible {
            state.disk = nil
            omit(.disk)
        }
        return state
    }
}

extension ResourceStall {
    fileprivate var isPossible: Bool {
        (0...1).contains(some) && full.map { (0...1).contains($0) } ?? true
    }

    fileprivate var source: MissingSource.Source {
        guard scope == .machine else { return .groupStall }
        return switch resource {
        case .processor: .processorStall
        case .storage: .storageStall
        case .memory: .memoryStall
        }
    }
}

extension ThermalZone {
    /// Possible temperatures in thousandths of a degree Celsius: from absolute zero to where everything has melted.
    private static let range = -273_150...10_000_000

    fileprivate var isPossible: Bool {
        [temperature, passive, hot, critical].compactMap(\.self).allSatisfy {
            Self.range.contains($0.millidegrees)
        }
    }
}

extension ProcessorSpeed {
    fileprivate var isPossible: Bool {
        (0...1).contains(allowed) && count >= 0 && (0...count).contains(capped) && throttlings ?? 0 >= 0
    }
}

extension ProcessorShare {
    fileprivate var isPossible: Bool {
        processors > 0 && quota.map { $0 > 0 && $0.isFinite } ?? true && periods ?? 0 >= 0
            && throttledPeriods ?? 0 >= 0
    }
}

extension PowerSupply {
    fileprivate var isPossible: Bool {
        charge.map { (0...1).contains($0) } ?? true && timeToEmpty.map { $0 >= .zero } ?? true
    }
}

extension DiskSpace {
    /// The largest possible number of bytes, an exbibyte, which no disk has: sums and products of possible numbers fit 64 bits.
    private static let most: Int64 = 1 << 60

    fileprivate var isPossible: Bool {
        (0...Self.most).contains(freeBytes) && (0...Self.most).contains(recordedBytes)
    }
}
