rootProject.name = "deltafold"
