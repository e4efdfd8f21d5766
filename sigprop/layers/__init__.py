"""Every recurrent layer of the papers, one file each, one contract."""
